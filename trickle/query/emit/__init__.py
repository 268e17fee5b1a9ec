"""Operator trees as Spark SQL: the only place that writes SQL for them."""

from trickle.query.emit.names import view_name, weight_name
from trickle.query.emit.statement import emit

__all__ = ["emit", "view_name", "weight_name"]
