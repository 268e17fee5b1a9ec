"""Check what trickle needs on this machine and in the databases, each with a way to mend it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from trickle.app.database import Database
from trickle.capture.inspection import inspect
from trickle.engine.checks import java_check, spark_check
from trickle.errors import TrickleError
from trickle.model.report import Check
from trickle.project.files import ProjectFiles

LOW_DISK_BYTES = 2 * 1024**3


def checkup(files: ProjectFiles) -> tuple[Check, ...]:
    """Every check, in the order one would mend them."""
    return (_python(), _packages(), java_check(), spark_check(files.spark.master), _disk(files), *_databases(files))


def _python() -> Check:
    found = ".".join(map(str, sys.version_info[:3]))
    return Check("python", sys.version_info >= (3, 11), found, "install Python 3.11 or newer")


def _packages() -> Check:
    missing = [name for name in _required() if not _installed(name)]
    detail = f"missing: {', '.join(missing)}" if missing else "all installed"
    return Check("python packages", not missing, detail, "pip install trickle[embedded]")


def _required() -> Iterator[str]:
    for requirement in requires("trickle") or []:
        if "extra ==" not in requirement:
            yield requirement.split(";")[0].split(">")[0].split("=")[0].split("<")[0].split("[")[0].strip()


def _installed(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True


def _disk(files: ProjectFiles) -> Check:
    path = Path(files.lake)
    while not path.exists():
        path = path.parent
    free = shutil.disk_usage(path).free
    return Check("disk", free >= LOW_DISK_BYTES, f"{free / 1024**3:.1f} GiB free for the lake", "free some disk space")


def _databases(files: ProjectFiles) -> Iterator[Check]:
    for connection in files.connections.values():
        tables = [source for source in files.sources if source.connection == connection.name]
        try:
            url = Database(connection, files.root).url()
        except TrickleError as error:
            yield Check(f"postgresql {connection.name}", False, error.message, error.hint)
            continue
        yield from inspect(connection.name, url, tables)
