"""A qualified query to an operator tree: a function a clause; what has no operator is refused by name."""

from trickle.query.lower.statement import lower

__all__ = ["lower"]
