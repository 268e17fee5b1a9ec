"""Property tests run plans with the same small database as the golden files."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "differentiate"))
