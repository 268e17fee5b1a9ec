"""One Spark for all tests of a process: whoever comes first starts it, the others share it."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark import SparkContext
from pyspark.sql import SparkSession

from trickle.engine.session import PINNED, start


def spark_session(conf: Mapping[str, str]) -> SparkSession:
    """A session with these settings of its own; Spark itself ends with the process."""
    running = SparkContext._active_spark_context
    if running is None:
        return start("local[2]", conf)
    session = SparkSession(running).newSession()
    for key, value in {**PINNED, **conf}.items():
        session.conf.set(key, value)
    return session
