"""`python -m trickle`: the same as the `trickle` command."""

from trickle.cli.main import main

if __name__ == "__main__":
    main()
