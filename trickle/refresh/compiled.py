"""A stream table made ready to refresh: its query, its delta plan or the reason there is none, its fingerprint."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from importlib.metadata import version

from trickle.differentiate.derive import differentiate
from trickle.differentiate.plan import DeltaPlan
from trickle.errors import NotDifferentiableError, ProjectError
from trickle.model.names import RelationName
from trickle.model.schema import TableSchema
from trickle.model.stream_table import StreamTable
from trickle.query.canonical import Canonical, canonical, canonical_sql
from trickle.query.lower import lower
from trickle.query.parse import Query, parse
from trickle.query.qualify import qualify
from trickle.refresh.decide import Reason, ReasonCode

PLAN_VERSION = 1


@dataclass(frozen=True, slots=True)
class CompiledTable:
    """What a refresh needs to know of a table besides the data."""

    table: StreamTable
    query: Query
    full: Canonical
    plan: DeltaPlan | None
    refused: Reason | None
    volatile: bool
    fingerprint: str

    def at(self, moment: datetime) -> CompiledTable:
        """The table with the current time fixed, where its query asks for it."""
        return replace(self, full=canonical(self.query, moment)) if self.volatile else self

    @property
    def name(self) -> RelationName:
        return self.table.name


def compile_table(table: StreamTable, schemas: Mapping[RelationName, TableSchema]) -> CompiledTable:
    """Parse, qualify, lower and differentiate; a query without a delta plan keeps the reason."""
    query = qualify(parse(table), schemas, table)
    if not query.inputs:
        raise ProjectError(
            f'stream table "{table.name}": its query reads no source and no stream table',
            location=table.location,
            hint="read at least one table with source() or ref()",
        )
    full = canonical(query)
    plan: DeltaPlan | None = None
    refused: Reason | None = None
    volatile = False
    try:
        plan = differentiate(lower(query), table.name)
    except NotDifferentiableError as error:
        refused = Reason(ReasonCode.NOT_DIFFERENTIABLE, error.construct, error.location)
        volatile = error.volatile
    return CompiledTable(
        table, query, full, plan, refused, volatile, _fingerprint(canonical_sql(query), query, schemas)
    )


def _fingerprint(full_sql: str, query: Query, schemas: Mapping[RelationName, TableSchema]) -> str:
    inputs = {str(name): [[c.name, c.type] for c in schemas[name].columns] for name in sorted(query.inputs)}
    facts = [PLAN_VERSION, version("pyspark"), full_sql, inputs]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:15]
