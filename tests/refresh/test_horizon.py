"""To which epoch a table may go."""

from __future__ import annotations

from collections.abc import Mapping

from trickle.model.epoch import Cut, CutState, SourcePart
from trickle.model.names import RelationName
from trickle.model.ports import Stored
from trickle.model.schema import Column, TableSchema
from trickle.refresh.horizon import Standing, last_sealed, source_standing, table_standing, target_epoch

A, B = RelationName("shop", "a"), RelationName("shop", "b")
SCHEMA = TableSchema((Column("id", "int"),))


def stored(name: RelationName, epoch: int, changes: Mapping[int, int], since: int = 1) -> Stored:
    return Stored(name, SCHEMA, epoch, since, since, "", 10, changes)


def cut(epoch: int, *names: RelationName, state: CutState = CutState.SEALED) -> Cut:
    return Cut(epoch, f"cut-{epoch}", "run", state, {}, dict.fromkeys(names, SourcePart.CHANGES))


def test_only_sealed_cuts_count() -> None:
    assert last_sealed([cut(1, A), cut(2, A), cut(3, A, state=CutState.BEGUN)]) == 2


def test_source_left_out_of_a_cut_is_not_valid_there() -> None:
    cuts = [cut(1, A, B), cut(2, A), cut(3, A, B)]
    assert source_standing(B, stored(B, 3, {3: 1}), cuts).valid == {1, 3}


def test_aborted_cut_is_never_a_target() -> None:
    cuts = [cut(1, A, B), cut(2, state=CutState.ABORTED), cut(3, A, B)]
    standings = [source_standing(A, stored(A, 2, {2: 4}), cuts), source_standing(B, stored(B, 3, {3: 1}), cuts)]
    assert target_epoch(standings) == 3
    assert all(2 not in standing.valid for standing in standings)


def test_table_stays_valid_until_an_input_changes() -> None:
    inputs = {A: Standing(stored(A, 4, {4: 2}), frozenset({1, 2, 3, 4}))}
    assert table_standing(stored(RelationName("main", "t"), 2, {}), inputs).valid == {2, 3}


def test_inputs_without_a_common_epoch_have_no_target() -> None:
    ahead = Standing(stored(A, 5, {}), frozenset({5}))
    behind = Standing(stored(B, 3, {}), frozenset({3, 4}))
    assert target_epoch([ahead, behind]) is None
