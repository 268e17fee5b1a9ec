"""One Spark for all tests, and stored rows written by hand."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from spark_rows import Row

from trickle.engine.spark import SparkEngine
from trickle.lake.types import arrow_schema, log_schema
from trickle.model.files import FilePart, StoredRows
from trickle.model.names import RelationName
from trickle.model.schema import TableSchema

Store = Callable[..., StoredRows]


@pytest.fixture(scope="session")
def engine() -> Iterator[SparkEngine]:
    engine = SparkEngine("local[2]", {"spark.driver.memory": "2g"})
    yield engine
    engine.close()


@pytest.fixture
def directory(tmp_path: Path) -> Callable[[], str]:
    """Fresh directories to write into, with a space in their path."""
    numbers = itertools.count()
    return lambda: str(tmp_path / "out put" / str(next(numbers)))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Write a base, one file for each list of rows, and a change log, one file an epoch: `{epoch: [(w, *row)]}`."""
    numbers = itertools.count()

    def write(columns: TableSchema, rows: Sequence[Row]) -> str:
        path = tmp_path / f"in put {next(numbers)}.parquet"
        schema = arrow_schema(columns)
        values = list(zip(*rows, strict=True)) or [() for _ in schema]
        arrays = [pa.array(list(column), field.type) for column, field in zip(values, schema, strict=True)]
        pq.write_table(pa.Table.from_arrays(arrays, schema=schema), path)
        return str(path)

    def stored(
        schema: TableSchema,
        base: Sequence[Sequence[Row]] = (),
        log: dict[int, Sequence[Row]] | None = None,
        epochs: tuple[int, int] = (0, 100),
        sign: int = 1,
    ) -> StoredRows:
        parts = []
        if base:
            paths = tuple(write(schema, rows) for rows in base)
            parts.append(FilePart(paths, rows=sum(map(len, base))))
        if log:
            own = log_schema(schema)
            paths = tuple(write(own, [(epoch, *row) for row in rows]) for epoch, rows in log.items())
            parts.append(FilePart(paths, sign, epochs, sum(map(len, log.values()))))
        return StoredRows(RelationName("shop", "things"), schema, tuple(parts))

    return stored
