"""The composition root: the one place that connects project, graph, plan, capture, refresh and lake."""

from trickle.app.project import Project, init

__all__ = ["Project", "init"]
