"""Spark, and the only pyspark imports."""
