"""Named points where a test may kill the process, to prove that the next run completes the work.

`TRICKLE_FAILPOINT=name` kills with SIGKILL the first time the point is reached, `name:3` the third time.
"""

from __future__ import annotations

import os
import signal
from collections import Counter

_reached: Counter[str] = Counter()


def failpoint(name: str) -> None:
    """Die here without cleaning up, when the environment asks for it."""
    wanted, _, turn = os.environ.get("TRICKLE_FAILPOINT", "").partition(":")
    if wanted != name:
        return
    _reached[name] += 1
    if _reached[name] == int(turn or 1):
        os.kill(os.getpid(), signal.SIGKILL)
