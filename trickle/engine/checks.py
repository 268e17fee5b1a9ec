"""What `trickle doctor` asks about Java and Spark."""

from __future__ import annotations

import os
import re
import subprocess
import time

from trickle.engine.session import java_available
from trickle.errors import TrickleError
from trickle.model.report import Check

JAVA_FIX = "install a Java 17 or 21 runtime, or set JAVA_HOME"


def java_check() -> Check:
    """Whether a Java that Spark can use is there."""
    if not java_available():
        return Check("java", ok=False, detail="not found", fix=JAVA_FIX)
    shown = subprocess.run([_java(), "-version"], capture_output=True, text=True, check=False)
    match = re.search(r'version "(\d+)[^"]*"', shown.stderr + shown.stdout)
    if match is None:
        return Check("java", ok=False, detail="does not tell its version", fix=JAVA_FIX)
    return Check("java", int(match[1]) >= 17, match[0].removeprefix("version ").strip('"'), JAVA_FIX)


def spark_check(master: str) -> Check:
    """Whether Spark starts and answers."""
    from trickle.engine.spark import SparkEngine

    engine, began = SparkEngine(master), time.monotonic()
    try:
        engine.schema((), "SELECT 1 AS one")
    except TrickleError as error:
        return Check("spark", ok=False, detail=str(error), fix="check Java and the target's spark settings")
    finally:
        engine.close()
    return Check("spark", ok=True, detail=f"started in {time.monotonic() - began:.1f} s")


def _java() -> str:
    home = os.environ.get("JAVA_HOME")
    return os.path.join(home, "bin", "java") if home else "java"
