"""Statements over stored rows: views, written rows, written changes, errors."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
from spark_rows import PAIRS, bag, rows_of, schema

from trickle.engine.spark import SparkEngine
from trickle.errors import CorruptLakeError, EngineError, ProjectError
from trickle.model.files import StoredRows
from trickle.model.ports import LogTarget, View
from trickle.model.schema import Column, TableSchema

pytestmark = pytest.mark.spark

Store = Callable[..., StoredRows]
Directory = Callable[[], str]


def test_plain_view_repeats_rows_by_their_weight(engine: SparkEngine, store: Store, directory: Directory) -> None:
    things = store(
        PAIRS,
        base=[[(1, "a"), (1, "a"), (2, None), (3, "c")], [(1, "a"), (None, None)]],
        log={1: [(-2, 1, "a"), (-1, 2, None), (1, 4, "d")], 2: [(1, 4, "d"), (-1, None, None)], 9: [(1, 9, "late")]},
        epochs=(0, 5),
    )
    written = engine.write_rows([View("things", things)], "SELECT * FROM things", directory())
    assert bag(written.paths) == Counter({(1, "a"): 1, (3, "c"): 1, (4, "d"): 2})
    assert (written.rows, written.inserted, len(written.paths)) == (4, 4, 1)
    assert written.schema == PAIRS


def test_a_log_taken_backwards_restores_old_rows(engine: SparkEngine, store: Store, directory: Directory) -> None:
    things = store(PAIRS, base=[[(1, "new"), (2, "b")]], log={3: [(1, 1, "new"), (-1, 1, "old")]}, sign=-1)
    written = engine.write_rows([View("t", things)], "SELECT * FROM t", directory())
    assert bag(written.paths) == Counter({(1, "old"): 1, (2, "b"): 1})


@pytest.mark.parametrize("change", [(-1, 7, "never there"), (-3, 1, "a")])
def test_a_negative_multiplicity_is_refused(
    engine: SparkEngine, store: Store, directory: Directory, change: tuple[object, ...]
) -> None:
    things = store(PAIRS, base=[[(1, "a"), (1, "a")]], log={1: [change]})
    with pytest.raises(CorruptLakeError, match="more often than it is there"):
        engine.write_rows([View("t", things)], "SELECT k FROM t", directory())


def test_weighted_view_has_the_weight_column_asked_for(engine: SparkEngine, store: Store, directory: Directory) -> None:
    things = store(PAIRS, base=[[(1, "a"), (1, "a")]], log={4: [(-1, 1, "a"), (2, 5, "e")]})
    sql = "SELECT k, v, `my w` FROM `shop.things@new`"
    written = engine.write_changes([View("shop.things@new", things, "my w")], sql, LogTarget("my w", 7, directory()))
    assert bag(written.paths) == Counter({(7, 1, 1, "a"): 1, (7, 2, 5, "e"): 1})
    assert (written.rows, written.inserted, written.deleted, written.schema) == (2, 3, 0, PAIRS)


def test_changes_that_cancel_leave_no_file(engine: SparkEngine, store: Store, directory: Directory) -> None:
    things = store(PAIRS, log={1: [(1, 1, "a"), (1, 2, None)], 2: [(-1, 1, "a"), (-1, 2, None)]})
    written = engine.write_changes([View("t", things, "w")], "SELECT * FROM t", LogTarget("w", 3, directory()))
    assert (written.paths, written.rows, written.inserted, written.deleted) == ((), 0, 0, 0)
    assert written.schema == PAIRS


def test_an_empty_relation_is_an_empty_view(engine: SparkEngine, store: Store, directory: Directory) -> None:
    nothing = store(PAIRS)
    views = [View("t", nothing), View("u", nothing, "w")]
    sql = "SELECT t.k, u.v, w FROM t FULL JOIN u ON t.k = u.k"
    assert engine.write_rows(views, "SELECT k, v FROM t", directory()).paths == ()
    assert engine.schema(views, sql).names == ("k", "v", "w")


def test_nan_is_one_value_and_negative_zero_another(engine: SparkEngine, store: Store, directory: Directory) -> None:
    nan = float("nan")
    floats = store(
        schema(x="double", y="float"),
        base=[[(nan, 1.0), (nan, 1.0), (-0.0, None), (0.0, None), (1.5, nan)]],
        log={1: [(-1, nan, 1.0), (-1, 0.0, None), (-1, 1.5, nan), (1, nan, nan)]},
    )
    written = engine.write_rows([View("t", floats)], "SELECT * FROM t", directory())
    assert sorted(map(str, rows_of(written.paths))) == ["(-0.0, None)", "(nan, 1.0)", "(nan, nan)"]


def test_every_type_survives(engine: SparkEngine, store: Store, directory: Directory) -> None:
    types = schema(
        b="boolean", i8="tinyint", i16="smallint", i32="int", i64="bigint", f="float", d="double",
        n="decimal(38,10)", s="string", x="binary", day="date", at="timestamp", local="timestamp_ntz",
        many="array<int>", nested="struct<a:int,`b c`:string>",
    )  # fmt: skip
    utc = dt.datetime(1500, 3, 1, 12, 30, 0, 123456, tzinfo=dt.UTC)
    row = (
        True, 1, 2, 3, 2**62, 0.5, 1e300, Decimal("1234567890123456789012345678.0123456789"), "é'`\n", b"\x00\xff",
        dt.date(1200, 2, 28), utc, dt.datetime(9999, 12, 31, 23, 59, 59, 999999), [1, None], {"a": 1, "b c": "z"},
    )  # fmt: skip
    nulls = (None,) * len(row)
    things = store(types, base=[[row, nulls, nulls]], log={1: [(-1, *row), (1, *row), (-1, *nulls)]})
    written = engine.write_rows([View("t", things)], "SELECT * FROM t", directory())
    assert written.schema == types
    assert sorted(rows_of(written.paths), key=lambda found: found[0] is None) == [row, nulls]


def test_column_names_of_every_kind_survive(engine: SparkEngine, store: Store, directory: Directory) -> None:
    names = ("a b", "c.d", "e,f", "g`h", "é=(){};", "tab\tx", "select", "k0", "_metadata", "q\"'s")
    types = TableSchema(tuple(Column(name, "bigint") for name in names))
    row = tuple(range(len(names)))
    things = store(types, base=[[row, row]], log={1: [(-1, *row)]})
    plain = engine.write_rows([View("t", things)], "SELECT * FROM t", directory())
    changes = engine.write_changes([View("t", things, "__w")], "SELECT * FROM t", LogTarget("__w", 2, directory()))
    assert (plain.schema, rows_of(plain.paths)) == (types, [row])
    assert (changes.schema, rows_of(changes.paths)) == (types, [(2, 1, *row)])


def test_ansi_error_becomes_an_engine_error(engine: SparkEngine, store: Store, directory: Directory) -> None:
    things = store(PAIRS, base=[[(1, "a"), (0, "b")]])
    with pytest.raises(EngineError) as caught:
        engine.write_rows([View("t", things)], "SELECT 1 / k AS x FROM t", directory())
    assert "[DIVIDE_BY_ZERO]" in caught.value.message
    assert "\n" not in caught.value.message
    assert "ansi" not in caught.value.message
    assert "\tat " not in str(caught.value)


@pytest.mark.parametrize(
    ("sql", "condition"),
    [("SELECT nope FROM t", "UNRESOLVED_COLUMN"), ("SELECT k FORM t WHERE", "PARSE_SYNTAX_ERROR")],
)
def test_a_wrong_statement_becomes_an_engine_error(engine: SparkEngine, store: Store, sql: str, condition: str) -> None:
    with pytest.raises(EngineError, match=condition):
        engine.schema([View("t", store(PAIRS))], sql)


def test_two_columns_of_one_name_are_refused(engine: SparkEngine) -> None:
    with pytest.raises(EngineError, match="differ by more than case"):
        engine.schema([], "SELECT 1 AS a, 2 AS A")


def test_views_of_one_statement_are_unknown_to_the_next(engine: SparkEngine, store: Store) -> None:
    assert engine.schema([View("mine", store(PAIRS))], "SELECT * FROM mine") == PAIRS
    with pytest.raises(EngineError, match="TABLE_OR_VIEW_NOT_FOUND"):
        engine.schema([], "SELECT * FROM mine")


def test_pinned_settings_cannot_be_changed() -> None:
    other = SparkEngine("local[1]", {"spark.sql.session.timeZone": "Europe/Berlin"})
    assert not other.started
    from trickle.engine.session import settings

    with pytest.raises(ProjectError, match="must be UTC"):
        settings("local[1]", {"spark.sql.session.timeZone": "Europe/Berlin"})


def test_nothing_appears_in_the_working_directory(
    engine: SparkEngine, store: Store, directory: Directory, tmp_path: Path
) -> None:
    before = set(Path.cwd().iterdir())
    out = directory()
    engine.write_rows([View("t", store(PAIRS, base=[[(1, "a")]]))], "SELECT * FROM t", out)
    assert set(Path.cwd().iterdir()) == before
    assert [path.suffix for path in Path(out).iterdir()] == [".parquet"]
