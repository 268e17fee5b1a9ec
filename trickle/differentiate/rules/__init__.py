"""One operator, one file."""
