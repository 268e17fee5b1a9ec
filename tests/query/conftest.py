"""Types are checked here against what is written down, and in the slow tier against Spark."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "differentiate"))
