"""Commits of a relation's table and change log, with the checks that make each of them safe to repeat or refuse."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from deltalake.transaction import AddAction

from trickle.errors import CorruptLakeError, FencedError
from trickle.lake.delta import Change, Snapshot
from trickle.lake.marks import Marks, for_people
from trickle.lake.parquet import add_action
from trickle.lake.relation import Relation
from trickle.lake.store import Store, missing
from trickle.lake.types import delta_schema, log_schema, same_columns
from trickle.model.files import WrittenFiles
from trickle.model.names import Name, RelationName, StateName
from trickle.model.ports import Stamp
from trickle.model.schema import TableSchema


def commit_log(store: Store, name: Name, files: WrittenFiles, stamp: Stamp, after: int) -> None:
    """Add files at `stamp.epoch` to a log that is valid up to `after`, dropping what an unfinished run left later."""
    held = store.current(name)
    if held is None:
        raise missing(name)
    if held.base is not None and held.epoch != after:
        raise FencedError(f'"{name}": it is at epoch {held.epoch}, not at {after}', hint="run again")
    if stamp.epoch <= after or held.since > after:
        raise FencedError(f'"{name}": epoch {stamp.epoch} does not follow {after} in a log since {held.since}')
    _check_columns(name, held.schema, files.schema)
    add = _added(store.log(name).path, files.paths, log_schema(held.schema))
    add_to_log(store, held, add, stamp, after)


def add_to_log(store: Store, held: Relation, add: Sequence[AddAction], stamp: Stamp, after: int) -> None:
    """The commit itself; a log that is void is begun anew by it."""
    change = Change(
        _kind(held.name),
        delta_schema(log_schema(held.schema)),
        Marks(epoch=stamp.epoch, since=held.since, fingerprint=stamp.fingerprint),
        add=add,
        remove=None if held.log is None else held.files_after(after),
        notes=for_people(stamp),
    )
    store.log(held.name).commit(change, held.log or held.void)


def restart_log(store: Store, name: Name, schema: TableSchema, files: WrittenFiles | None, stamp: Stamp) -> None:
    """Replace a log, whatever it held; where files are given their types count, as they are what is stored."""
    log = store.log(name)
    on = log.current()
    if on is not None and (on.marks.epoch or 0) > stamp.epoch and isinstance(name, RelationName):
        raise FencedError(f'"{name}": its change log is at epoch {on.marks.epoch} already', hint="run again")
    if files is not None and files.schema.names != schema.names:
        raise CorruptLakeError(f'"{name}": its rows have columns {", ".join(files.schema.names)}')
    own = log_schema(TableSchema(files.schema.columns, schema.key) if files else schema)
    change = Change(
        _kind(name),
        delta_schema(own),
        Marks(epoch=stamp.epoch, since=stamp.epoch, fingerprint=stamp.fingerprint),
        add=_added(log.path, files.paths if files else (), own),
        remove=None,
        notes=for_people(stamp),
    )
    log.commit(change, on)


def replace_table(store: Store, name: RelationName, schema: TableSchema, paths: Sequence[str], stamp: Stamp) -> None:
    """Replace all rows of a table; from then on it decides, until a log follows at a later epoch."""
    table = store.table(name)
    on = table.current()
    _check_not_newer(name, on, stamp)
    change = Change(
        "table",
        delta_schema(schema),
        Marks(base=stamp.epoch, fingerprint=stamp.fingerprint),
        add=_added(table.path, paths, schema),
        remove=None,
        notes=for_people(stamp),
    )
    table.commit(change, on)


def fold_table(store: Store, name: RelationName, files: WrittenFiles, removed: Sequence[str], stamp: Stamp) -> None:
    """Exchange files of a table for others that hold its log's changes too, up to `stamp.epoch`."""
    held = store.current(name)
    if held is None or held.table is None:
        raise missing(name)
    _check_not_newer(name, held.table, stamp)
    _check_columns(name, held.schema, files.schema)
    table = store.table(name)
    gone = tuple(os.path.relpath(path, table.path).replace(os.sep, "/") for path in removed)
    strangers = set(gone) - {file.path for file in held.table.files}
    if strangers:
        raise FencedError(f'"{name}": files to be replaced are gone: {", ".join(sorted(strangers))}')
    change = Change(
        "table",
        held.table.schema,
        Marks(base=min(stamp.epoch, held.epoch), fingerprint=held.fingerprint),
        add=_added(table.path, files.paths, held.schema),
        remove=gone,
        notes=for_people(stamp),
    )
    table.commit(change, held.table)


def _check_columns(name: Name, held: TableSchema, new: TableSchema) -> None:
    if same_columns(held, new):
        return
    had, has = ({f"{column.name} {column.type}" for column in schema.columns} for schema in (held, new))
    raise CorruptLakeError(
        f'"{name}": new rows have other columns than the stored ones',
        detail=f"stored: {', '.join(sorted(had - has))}; new: {', '.join(sorted(has - had))}",
        hint="refresh it in full",
    )


def _check_not_newer(name: RelationName, table: Snapshot | None, stamp: Stamp) -> None:
    if table is not None and table.marks.base is not None and table.marks.base > stamp.epoch:
        raise FencedError(f'"{name}": its table is at epoch {table.marks.base} already', hint="run again")


def _added(table: str, paths: Iterable[str], schema: TableSchema) -> tuple[AddAction, ...]:
    inside = os.path.join(table, "")
    outside = [path for path in paths if not path.startswith(inside)]
    if outside:
        raise CorruptLakeError(f"files to commit lie outside {table}", detail=", ".join(outside))
    return tuple(add_action(table, path, schema) for path in paths)


def _kind(name: Name) -> str:
    return "state" if isinstance(name, StateName) else "log"
