"""Values to the DAG of stream tables."""
