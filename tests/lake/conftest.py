"""A lake in a temporary folder, and files staged in it as the engine would."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from lake_rows import SCHEMA, Row, reader

from trickle.lake.delta_lake import DeltaLake
from trickle.lake.types import arrow_schema, log_schema
from trickle.model.files import WrittenFiles
from trickle.model.names import Name
from trickle.model.schema import TableSchema


@pytest.fixture
def lake(tmp_path: Path) -> DeltaLake:
    return DeltaLake.open_or_create(str(tmp_path / "lake"))


@pytest.fixture
def staged(lake: DeltaLake) -> Callable[..., WrittenFiles]:
    """Files as the engine would leave them: table rows, or log rows when an epoch is given."""

    def write(name: Name, rows: Sequence[Row], schema: TableSchema = SCHEMA, epoch: int | None = None) -> WrittenFiles:
        directory = Path(lake.staging(name, log=epoch is not None))
        directory.mkdir(parents=True)
        if not rows:
            return WrittenFiles(str(directory), (), schema, 0)
        columns = schema if epoch is None else log_schema(schema)
        path = directory / "part-0.parquet"
        led = [row if epoch is None else (epoch, *row) for row in rows]
        pq.write_table(reader(led, arrow_schema(columns)).read_all(), path)
        return WrittenFiles(str(directory), (str(path),), schema, len(rows))

    return write
