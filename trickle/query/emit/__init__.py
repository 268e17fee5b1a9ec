"""Operator trees as Spark SQL: the only place that writes SQL for them."""

from trickle.query.emit.names import view_name, weight_name
from trickle.query.emit.statement import emit, repeated_sql

__all__ = ["emit", "repeated_sql", "view_name", "weight_name"]
