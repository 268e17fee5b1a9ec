"""trickle: declarative stream tables over PostgreSQL, kept exact and incremental on Spark and Delta Lake.

from trickle import Project

project = Project.load("shop")
print(project.plan())
project.run()
project.table("revenue").to_pandas()
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trickle.app import Project

__all__ = ["Project"]


def __getattr__(name: str) -> Any:
    """Import the composition root when it is asked for, so that `import trickle.errors` stays cheap."""
    if name == "Project":
        from trickle.app import Project

        return Project
    raise AttributeError(f"module 'trickle' has no attribute {name!r}")
