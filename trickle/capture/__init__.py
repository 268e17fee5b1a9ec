"""PostgreSQL to change buffers."""
