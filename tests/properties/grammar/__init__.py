"""Random SELECTs over every construct with a delta rule, as text: the same seed gives the same query."""

from tests.properties.grammar.constructs import CONSTRUCTS, Engine
from tests.properties.grammar.statements import RandomQuery, random_query

__all__ = ["CONSTRUCTS", "Engine", "RandomQuery", "random_query"]
