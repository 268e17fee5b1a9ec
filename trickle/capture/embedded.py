"""trickle's own PostgreSQL: a server in the project's folder, on a Unix socket, started when it is needed."""

from __future__ import annotations

import fcntl
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import psycopg2

from trickle.capture.binaries import Account, wheel_programs
from trickle.errors import SourceError

_SETTINGS = {"wal_level": "logical", "listen_addresses": "", "max_slot_wal_keep_size": "1GB"}
_LONGEST_SOCKET_FOLDER = 80
_STARTING = "the database system is starting up"


class EmbeddedServer:
    """A PostgreSQL server whose files are in `directory`.

    `programs` is the folder with `initdb` and `pg_ctl`; without it PostgreSQL 18 comes from the wheel. Only the
    account that owns the files can reach the socket, so no password is needed.
    """

    def __init__(
        self, directory: Path, programs: Path | None = None, settings: Mapping[str, str] | None = None
    ) -> None:
        self._directory = directory.absolute()
        self._programs = programs
        self._settings = {**_SETTINGS, **(settings or {})}
        self._account = Account.unprivileged()

    def start(self) -> bool:
        """Start the server unless it runs; whether it had to be created."""
        self._directory.mkdir(parents=True, exist_ok=True)
        with self._alone():
            if self.running():
                return False
            created = self._create()
            self._launch()
        return created

    def stop(self, mode: str = "fast") -> None:
        """Stop the server if it runs; `immediate` leaves it as a crash would."""
        if self._data is not None and (self._data / "postmaster.pid").exists():
            self._pg_ctl("stop", "-m", mode)

    def running(self) -> bool:
        """Whether the server answers."""
        if self._data is None:
            return False
        for _ in range(300):
            try:
                psycopg2.connect(self.url()).close()
            except psycopg2.OperationalError as error:
                if _STARTING not in str(error):
                    return False
                time.sleep(0.1)
            else:
                return True
        return False

    def url(self, database: str = "postgres") -> str:
        """The URL of one of the server's databases; it is valid while the server runs."""
        host = quote(str(self._socket_folder()), safe="")
        return f"postgresql://postgres@/{quote(database, safe='')}?host={host}"

    def remove(self) -> None:
        """Stop the server and delete its files."""
        self.stop("immediate")
        if self._data is not None:
            shutil.rmtree(self._socket_folder(), ignore_errors=True)
            shutil.rmtree(self._data.parent, ignore_errors=True)
        shutil.rmtree(self._directory, ignore_errors=True)

    @property
    def _data(self) -> Path | None:
        note = self._directory / "location"
        return Path(note.read_text()) if note.exists() else None

    def _bin(self) -> Path:
        return self._programs or wheel_programs(self._account)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with (self._directory / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _create(self) -> bool:
        if self._data is not None and (self._data / "PG_VERSION").exists():
            return False
        home = self._directory / "server"
        home.mkdir(exist_ok=True)
        self._account.own(home)
        if not self._account.reaches(home):
            home.rmdir()
            home = self._account.new_folder()
        data = home / "data"
        shutil.rmtree(data, ignore_errors=True)
        self._run("initdb", "-D", str(data), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        with (data / "postgresql.conf").open("a") as conf:
            conf.write("include 'trickle.conf'\n")
        (self._directory / "location").write_text(str(data))
        return True

    def _launch(self) -> None:
        data = self._data
        assert data is not None  # noqa: S101 - _create has just made it
        sockets = self._socket_folder()
        sockets.mkdir(exist_ok=True)
        self._account.own(sockets)
        settings = {**self._settings, "unix_socket_directories": f'"{sockets}"'}
        lines = [f"{name} = '{value.replace(chr(39), chr(39) * 2)}'\n" for name, value in settings.items()]
        (data / "trickle.conf").write_text("".join(lines))
        (data / "trickle.conf").chmod(0o644)
        self._pg_ctl("start", "-l", str(data.parent / "log"))

    def _socket_folder(self) -> Path:
        """Beside the data, or in the temporary folder when a socket's name would become too long there."""
        data = self._data
        if data is None:
            raise SourceError("embedded PostgreSQL: it has not been started yet", hint="run: trickle db start")
        beside = data.parent / "socket"
        if len(str(beside)) <= _LONGEST_SOCKET_FOLDER:
            return beside
        return Path(tempfile.gettempdir()) / f"trickle-{data.stat().st_ino:x}"

    def _pg_ctl(self, action: str, *arguments: str) -> None:
        self._run("pg_ctl", action, "-w", "-t", "120", "-D", str(self._data), *arguments)

    def _run(self, program: str, *arguments: str) -> None:
        done = self._account.run(str(self._bin() / program), *arguments)
        if done.returncode != 0:
            log = self._data.parent / "log" if self._data else None
            tail = log.read_text(errors="replace")[-2000:] if log and log.exists() else ""
            raise SourceError(f"embedded PostgreSQL: {program} failed", detail=f"{done.stdout}\n{tail}".strip())
