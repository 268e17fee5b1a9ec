"""The command line: a command a file, over the port in `session`."""
