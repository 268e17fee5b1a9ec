"""Write a DataFrame as few Parquet files, and tell from their footers what was written."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name Spark's users know
from pyspark.sql.types import ArrayType, DataType, StructType

from trickle.engine.multiset import column, columns, consolidated, quoted
from trickle.errors import EngineError
from trickle.model.files import FilePart, WrittenFiles
from trickle.model.schema import Column, TableSchema, epoch_column, weight_column

FILE_ROWS = 500_000


def table_schema(of: StructType, leave_out: str = "") -> TableSchema:
    """The columns of a result, without its weight."""
    fields = [field for field in of.fields if field.name != leave_out]
    try:
        return TableSchema(tuple(Column(field.name, type_text(field.dataType)) for field in fields))
    except ValueError as error:
        raise EngineError(f"the result cannot be stored: {error}") from error


def type_text(of: DataType) -> str:
    """A type as Spark SQL reads it back, with field names quoted where they must be."""
    if isinstance(of, ArrayType):
        return f"array<{type_text(of.elementType)}>"
    if isinstance(of, StructType):
        inner = ",".join(f"{_field(field.name)}:{type_text(field.dataType)}" for field in of.fields)
        return f"struct<{inner}>"
    return str(of.simpleString())


def _field(name: str) -> str:
    return name if name.isidentifier() and name.isascii() else quoted(name)


def write_table(frame: DataFrame, directory: str) -> WrittenFiles:
    """Write plain rows."""
    schema = table_schema(frame.schema)
    written = _write(frame, directory)
    rows = sum(written.values())
    return WrittenFiles(directory, tuple(written), schema, rows, inserted=rows)


def write_log(frame: DataFrame, weight: str, epoch: int, directory: str) -> WrittenFiles:
    """Consolidate weighted rows and write them as rows of a change log."""
    schema = table_schema(frame.schema, weight)
    names = schema.names
    own = weight_column(names)
    net = consolidated(frame.withColumnRenamed(weight, own), names, own)
    led = [F.lit(epoch).cast("bigint").alias(epoch_column(names)), column(own).cast("int").alias(own)]
    written = _write(net.select(*led, *columns(names)), directory)
    paths = tuple(written)
    counts = weights(FilePart(paths, epochs=(epoch - 1, epoch)), names)
    return WrittenFiles(directory, paths, schema, sum(written.values()), counts.inserted, counts.deleted)


def write_arrow(tables: Iterable[pa.Table], schema: TableSchema, directory: str) -> WrittenFiles:
    """Write Arrow tables, each as a file of its own, the way Spark would."""
    written: dict[str, int] = {}
    os.makedirs(directory, exist_ok=True)
    for table in tables:
        if table.num_rows:
            path = os.path.join(directory, f"part-{uuid.uuid4().hex}.snappy.parquet")
            pq.write_table(table, path, compression="snappy", coerce_timestamps="us", store_schema=False)
            written[path] = table.num_rows
    return WrittenFiles(directory, tuple(written), schema, sum(written.values()))


def _write(frame: DataFrame, directory: str) -> dict[str, int]:
    """Write files and count their rows; a file without rows is not kept."""
    frame.write.option("maxRecordsPerFile", FILE_ROWS).parquet(directory)
    written: dict[str, int] = {}
    for path in sorted(_parquet(directory)):
        rows = pq.read_metadata(path).num_rows
        if rows:
            written[path] = rows
        else:
            os.unlink(path)
    return written


def _parquet(directory: str) -> Iterator[str]:
    for entry in os.scandir(directory):
        if entry.name.endswith(".parquet") and entry.name[0] not in "._":
            yield entry.path


class Weights:
    """How many rows a change log adds and takes away, counted as they weigh."""

    def __init__(self, weights: Iterable[pa.ChunkedArray]) -> None:
        self.inserted = self.deleted = 0
        for some in weights:
            self.inserted += pc.sum(some.filter(pc.greater(some, 0))).as_py() or 0
            self.deleted -= pc.sum(some.filter(pc.less(some, 0))).as_py() or 0


def weights(part: FilePart, names: Iterable[str]) -> Weights:
    """Read the weights of one part of a change log, with its sign."""
    names = tuple(names)
    epoch, weight = epoch_column(names), weight_column(names)
    return Weights(_weights(part, epoch, weight))


def _weights(part: FilePart, epoch: str, weight: str) -> Iterator[pa.ChunkedArray]:
    after, upto = part.epochs or (0, 0)
    for path in part.paths:
        with pq.ParquetFile(path) as file:
            log = file.read(columns=[epoch, weight])
        epochs = log.column(epoch)
        counted = log.column(weight).filter(pc.and_(pc.greater(epochs, after), pc.less_equal(epochs, upto)))
        yield pc.multiply(counted.cast(pa.int64()), part.sign)
