"""Engine and lake together: a filtered copy of a mirror, kept up to date over random changes."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest

from trickle.engine.spark import SparkEngine
from trickle.lake.delta_lake import DeltaLake
from trickle.lake.types import arrow_schema
from trickle.model.names import RelationName
from trickle.model.ports import LogTarget, SourceChanges, Stamp, View
from trickle.model.schema import Column, TableSchema

pytestmark = pytest.mark.spark

ORDERS = RelationName("shop", "Order s")
LARGE = RelationName("main", "large orders")
SCHEMA = TableSchema((Column("id.x", "bigint"), Column("amount", "decimal(12,2)"), Column("at", "timestamp_ntz")))
QUERY = "SELECT `id.x`, amount, at FROM {} WHERE `id.x` % 2 = 0 OR amount IS NULL"
FINGERPRINT = "0f" * 32


def reader(rows: list[tuple[object, ...]], *, weighted: bool) -> pa.RecordBatchReader:
    own = list(arrow_schema(SCHEMA))
    schema = pa.schema([pa.field("__w", pa.int32()), *own] if weighted else own)
    columns = list(zip(*rows, strict=True)) or [() for _ in schema]
    arrays = [pa.array(list(column), field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.RecordBatchReader.from_batches(schema, [pa.RecordBatch.from_arrays(arrays, schema=schema)])


def stamp(epoch: int) -> Stamp:
    return Stamp(epoch, f"run-{epoch}", FINGERPRINT)


def refresh(lake: DeltaLake, engine: SparkEngine, epoch: int) -> None:
    delta = View("delta", lake.changes(ORDERS, epoch - 1, epoch), "w")
    sql = QUERY.format("delta").replace("at FROM", "at, w FROM")
    files = engine.write_changes([delta], sql, LogTarget("w", epoch, lake.staging(LARGE, log=True)))
    lake.commit_log(LARGE, files, stamp(epoch), after=epoch - 1)
    folded = engine.fold(
        lake.rows_at(LARGE, epoch - 1), lake.changes(LARGE, epoch - 1, epoch), lake.staging(LARGE, log=False)
    )
    lake.commit_table(LARGE, folded.files, folded.removed, stamp(epoch))


def differences(lake: DeltaLake, engine: SparkEngine, epoch: int) -> list[tuple[object, ...]]:
    views = [View("orders", lake.rows_at(ORDERS, epoch)), View("large", lake.rows_at(LARGE, epoch))]
    return engine.differing_rows(views, "SELECT * FROM large", QUERY.format("orders"), 5)[1]


def test_a_result_follows_its_source(engine: SparkEngine, tmp_path: Path) -> None:
    lake, rand = DeltaLake.open_or_create(str(tmp_path / "the lake")), random.Random(7)
    rows: list[tuple[object, ...]] = [(rand.randrange(40), None, 0) for _ in range(60)]
    lake.create(ORDERS, SCHEMA, reader(rows, weighted=False), stamp(1))
    first = View("orders", lake.rows_at(ORDERS, 1))
    files = engine.write_rows([first], QUERY.format("orders"), lake.staging(LARGE, log=False))
    lake.restart_log(LARGE, files.schema, None, stamp(1))
    lake.commit_table(LARGE, files, None, stamp(1))
    for epoch in range(2, 6):
        gone = [rows.pop(rand.randrange(len(rows))) for _ in range(5)]
        new: list[tuple[object, ...]] = [(rand.randrange(40), rand.choice([None, 5]), 10**6) for _ in range(6)]
        rows += new
        changes = [(-1, *row) for row in gone] + [(1, *row) for row in new]
        lake.append(ORDERS, SourceChanges(reader(changes, weighted=True), truncated=False), stamp(epoch))
        refresh(lake, engine, epoch)
        assert differences(lake, engine, epoch) == []
    assert differences(lake, engine, 3) == []
    stored = lake.stored(LARGE)
    assert stored is not None
    assert (stored.epoch, stored.base_epoch, stored.since, stored.fingerprint) == (5, 5, 1, FINGERPRINT)
    assert lake.table(LARGE).num_rows == stored.rows
