"""Check a schedule: an interval, `downstream`, or a cron line."""

from __future__ import annotations

import re

_INTERVAL = re.compile(r"0*[1-9][0-9]*[smhd]")


def schedule_problem(schedule: str) -> str:
    """What is wrong with a schedule, or an empty string."""
    if schedule == "downstream" or _INTERVAL.fullmatch(schedule):
        return ""
    if len(schedule.split()) == 5 and _is_cron(schedule):
        return ""
    return f'"{schedule}" is not a schedule'


SCHEDULE_HINT = "write an interval (30s, 5m, 1h, 1d), downstream, or a cron line such as 0 6 * * *"


def _is_cron(schedule: str) -> bool:
    from croniter import croniter

    return bool(croniter.is_valid(schedule))
