"""Project files to values."""
