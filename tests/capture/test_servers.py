"""The embedded server and what `trickle doctor` finds out about a server."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.capture.lake import Lake, source
from tests.capture.writers import Writers
from tests.conftest import SETTINGS, Server
from trickle.capture.database import PostgresDatabase
from trickle.capture.embedded import EmbeddedServer
from trickle.capture.inspection import inspect
from trickle.capture.statements import execute
from trickle.errors import SourceError

pytestmark = pytest.mark.postgres


def test_embedded_server_lives_in_a_folder(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path / "it's a, very deep folder" / ("x" * 60) / "postgres", settings=SETTINGS)
    try:
        assert not server.running()
        assert server.start()
        assert not server.start()
        execute(server.url(), "create table kept (id int); insert into kept values (1)")
        server.stop()
        server.stop()
        assert not server.running()
        assert not server.start()
        assert execute(server.url(), "select id, 'x' as x from kept") == (("id", "x"), [(1, "x")])
        assert execute(server.url(), "show wal_level") == (("wal_level",), [("logical",)])
        assert execute(server.url(), "delete from kept") is None
        with pytest.raises(SourceError, match="does not exist"):
            execute(server.url(), "select * from nowhere")
    finally:
        server.remove()
    assert not server.running()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has a home that others cannot enter")
def test_folder_that_the_servers_account_cannot_enter(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    server = EmbeddedServer(home / "project" / ".trickle" / "postgres", settings=SETTINGS)
    try:
        assert server.start()
        assert execute(server.url(), "select 1")
    finally:
        server.remove()
    assert home.stat().st_mode & 0o777 == 0o700


def test_healthy_database(database: str, writers: Writers) -> None:
    writers.run("create table t (a int, b int)")
    checks = inspect("shop", database, [source("t")])
    assert all(check.ok for check in checks)
    assert len(checks) == 6


def test_missing_rights_come_with_the_grant(postgres: Server, database: str, writers: Writers) -> None:
    writers.run("drop role if exists guest", "create role guest login", "create table t (a int)")
    checks = inspect("shop", database.replace("postgres@", "guest@"), [source("t"), source("nowhere")])
    fixes = {check.fix for check in checks if not check.ok}
    name = database.split("/")[3].split("?")[0]
    assert f'GRANT CREATE ON DATABASE "{name}" TO "guest"' in fixes
    assert 'GRANT "postgres" TO "guest"' in fixes
    assert [check.ok for check in checks][-1] is False
    guest = PostgresDatabase("shop", database.replace("postgres@", "guest@"))
    with pytest.raises(SourceError, match="permission denied"):
        guest.prepare("lake", [source("t")])
    writers.run("drop role guest")


def test_unreachable_database_names_the_connection_and_no_secret(tmp_path: Path) -> None:
    dsn = f"host={tmp_path} user=me password=hunter2"
    (check,) = inspect("shop", dsn, [])
    assert not check.ok
    assert "shop" in check.detail
    assert "hunter2" not in check.detail
    with pytest.raises(SourceError, match='connection "shop": the dsn cannot be read') as error:
        PostgresDatabase("shop", "host=x hunter2").describe([])
    assert "hunter2" not in str(error.value)


def test_row_level_security_is_an_error_and_never_a_shorter_copy(database: str, writers: Writers) -> None:
    name = database.split("/")[3].split("?")[0]
    writers.run(
        "drop role if exists tenant", "create role tenant login", f'grant create on database "{name}" to tenant'
    )
    writers.run("create table t (a int)", "insert into t values (1), (2)", "alter table t owner to tenant")
    writers.run("alter table t enable row level security", "alter table t force row level security")
    writers.run("create policy half on t using (a = 1)")
    tenant = database.replace("postgres@", "tenant@")
    fixes = {check.fix for check in inspect("shop", tenant, [source("t")]) if not check.ok}
    assert 'ALTER ROLE "tenant" BYPASSRLS' in fixes
    with pytest.raises(SourceError, match="row-level security"):
        Lake(tenant).refresh("t")
    writers.run("alter role tenant bypassrls")
    lake = Lake(tenant)
    lake.refresh("t")
    assert lake.rows("t") == writers.rows("t")
    assert len(lake.rows("t")) == 2
    writers.run("drop owned by tenant cascade", "drop role tenant")
