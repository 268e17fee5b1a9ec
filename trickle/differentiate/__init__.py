"""Operator tree to delta plan, pure."""
