"""Start Spark quietly: pinned settings, nothing on the console, nothing in the working directory."""

from __future__ import annotations

import atexit
import logging
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from trickle.errors import EngineError, ProjectError

PINNED = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "false",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
}
"""Settings a result depends on: no project may change them."""

_DEFAULTS = {
    "spark.app.name": "trickle",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "100000",
    "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    "spark.hadoop.fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",
}
_MOST_MEMORY_MB = 8192


def java_available() -> bool:
    """Whether a Java runtime is where Spark looks for it."""
    home = os.environ.get("JAVA_HOME")
    return bool(home and os.access(os.path.join(home, "bin", "java"), os.X_OK)) or shutil.which("java") is not None


def settings(master: str, conf: Mapping[str, str]) -> dict[str, str]:
    """Every setting of the session; refuses a project that sets a pinned one otherwise."""
    for key, value in PINNED.items():
        if str(conf.get(key, value)).lower() != value.lower():
            raise ProjectError(f"spark setting {key}: must be {value}", hint="remove it from the target's spark conf")
    return {**_DEFAULTS, **_sizes(master), "spark.master": master, **{k: str(v) for k, v in conf.items()}, **PINNED}


def start(master: str, conf: Mapping[str, str]) -> SparkSession:
    """A session in a JVM of its own, whose output goes to a file that is shown only when it fails to start."""
    chosen = settings(master, conf)
    if not java_available():
        raise EngineError("Spark needs Java", hint="install a Java 17 or 21 runtime, or set JAVA_HOME")
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL + 1)
    home = Path(tempfile.mkdtemp(prefix="trickle-spark-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    chosen.setdefault("spark.sql.warehouse.dir", str(home / "warehouse"))
    spark_conf = SparkConf(loadDefaults=False).setAll(list(chosen.items()))
    try:
        return SparkSession(_context(spark_conf, home / "jvm.log"))
    except (PySparkException, OSError) as error:
        log = home / "jvm.log"
        told = log.read_text(errors="replace")[-2000:] if log.exists() else ""
        raise EngineError("Spark did not start", detail=f"{error}\n{told}".strip()) from error


def _context(conf: SparkConf, log: Path) -> SparkContext:
    gateway = None
    if SparkContext._gateway is None:
        with log.open("wb") as output:
            gateway = launch_gateway(conf, popen_kwargs={"stdout": output, "stderr": output})
    return SparkContext(conf=conf, gateway=gateway)


def _sizes(master: str) -> dict[str, str]:
    """Parallelism and memory of a local session; a cluster has its own."""
    local = re.fullmatch(r"local(?:\[(\*|\d+)\])?", master)
    if local is None:
        return {}
    cores = (os.cpu_count() or 1) if local[1] == "*" else int(local[1] or 1)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
    return {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": f"{min(max(memory // 4, 1024), _MOST_MEMORY_MB)}m",
        "spark.sql.shuffle.partitions": str(2 * cores),
    }
