"""How many bytes a piece of work read: what Spark's tasks read, and what this process read of files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyspark import SparkContext

OWN_READS = Path("/proc/self/io")
COUNTED = {"spark.hadoop.parquet.hadoop.vectored.io.enabled": "false"}
"""Spark settings a meter needs: Hadoop does not count what it reads in vectors."""


class ReadMeter:
    """Counts the bytes read since it was last asked.

    Spark's own task metrics count every byte its file readers asked for, also where the page cache had it. Folding
    in this process does not go through Spark; the kernel counts those reads. Sockets are in neither.
    """

    def __init__(self) -> None:
        self._last_stage = -1
        self._own = _own_reads()

    def since_last(self) -> int:
        """Bytes read since the last call."""
        own, before = _own_reads(), self._own
        self._own = own
        return own - before + self._spark_reads()

    def _spark_reads(self) -> int:
        context = SparkContext._active_spark_context
        if context is None:
            return 0
        spark = context._jsc.sc()
        spark.listenerBus().waitUntilEmpty()
        stages = [stage for stage in _stages(spark) if stage.stageId() > self._last_stage]
        self._last_stage = max((stage.stageId() for stage in stages), default=self._last_stage)
        return sum(stage.inputBytes() for stage in stages)


def _stages(spark: Any) -> list[Any]:
    """What the driver keeps of its stages, without the web interface too."""
    found = spark.statusStore().stageList(None, False, False, _no_quantiles(), None)
    return [found.apply(i) for i in range(found.size())]


def _no_quantiles() -> Any:
    gateway = SparkContext._gateway
    return gateway.new_array(gateway.jvm.double, 0)


def _own_reads() -> int:
    fields = dict(line.split(": ") for line in OWN_READS.read_text().splitlines())
    return int(fields["rchar"])
