"""Which mode is chosen, and that nothing falls back in silence."""

from __future__ import annotations

from trickle.errors import Location
from trickle.model.names import RelationName
from trickle.model.report import ChosenMode
from trickle.model.stream_table import RefreshMode
from trickle.refresh.cost import Cost
from trickle.refresh.decide import Reason, ReasonCode, Situation, decide

ORDERS = RelationName("shop", "orders")
WINDOW = Reason(ReasonCode.NOT_DIFFERENTIABLE, "window function", Location("tables/t.sql", 3, 8))


def situation(**facts: object) -> Situation:
    defaults = {"declared": RefreshMode.AUTO, "populated": True, "pending": {ORDERS: 5}, "input_rows": {ORDERS: 1000}}
    return Situation(**{**defaults, **facts})  # type: ignore[arg-type]


def test_small_change_is_differential() -> None:
    assert decide(situation()).mode is ChosenMode.DIFFERENTIAL


def test_nothing_pending_is_no_data() -> None:
    decision = decide(situation(pending={ORDERS: 0}))
    assert (decision.mode, decision.reason.code) == (ChosenMode.NO_DATA, ReasonCode.NO_CHANGE)


def test_changed_upstream_of_unknown_size_is_differential() -> None:
    assert decide(situation(pending={ORDERS: None})).mode is ChosenMode.DIFFERENTIAL


def test_unpopulated_table_is_never_refreshed_differentially() -> None:
    for declared in (RefreshMode.AUTO, RefreshMode.DIFFERENTIAL, RefreshMode.FULL):
        decision = decide(situation(declared=declared, populated=False))
        assert (decision.mode, decision.reason.code) == (ChosenMode.FULL, ReasonCode.NO_BASELINE)


def test_auto_without_a_rule_is_full_with_the_construct_and_its_place() -> None:
    decision = decide(situation(refused=WINDOW))
    assert decision.mode is ChosenMode.FULL
    assert str(decision.reason) == "NOT_DIFFERENTIABLE: window function at tables/t.sql:3:8"


def test_declared_differential_without_a_rule_fails_even_without_changes() -> None:
    for pending in ({ORDERS: 5}, {ORDERS: 0}):
        decision = decide(situation(declared=RefreshMode.DIFFERENTIAL, refused=WINDOW, pending=pending))
        assert (decision.mode, decision.reason) == (None, WINDOW)


def test_auto_prefers_full_when_much_changed_and_declared_differential_does_not() -> None:
    much = {"pending": {ORDERS: 20_000}, "input_rows": {ORDERS: 100_000}}
    assert decide(situation(**much)).reason.code is ReasonCode.CHANGE_RATIO
    assert decide(situation(declared=RefreshMode.DIFFERENTIAL, **much)).mode is ChosenMode.DIFFERENTIAL


def test_changed_definition_rebuilds_without_pending_rows() -> None:
    decision = decide(situation(definition_changed=True, pending={ORDERS: 0}))
    assert (decision.mode, decision.reason.code) == (ChosenMode.FULL, ReasonCode.DEFINITION_CHANGED)


def test_rebuilt_input_forces_full() -> None:
    assert decide(situation(reset_input=ORDERS)).reason.code is ReasonCode.UPSTREAM_RESET


def test_query_of_the_current_time_is_stale_at_every_run() -> None:
    decision = decide(situation(refused=WINDOW, volatile=True, pending={ORDERS: 0}))
    assert decision.mode is ChosenMode.FULL


def test_auto_recomputes_where_the_delta_plan_would_read_more() -> None:
    large = {ORDERS: 1_000_000}
    decision = decide(situation(input_rows=large, cost=Cost(full=10, delta=11)))
    assert (decision.mode, decision.reason.code) == (ChosenMode.FULL, ReasonCode.READS_MORE)
    assert decide(situation(input_rows=large, cost=Cost(full=10, delta=9))).mode is ChosenMode.DIFFERENTIAL
    insisted = situation(declared=RefreshMode.DIFFERENTIAL, input_rows=large, cost=Cost(full=10, delta=11))
    assert decide(insisted).mode is ChosenMode.DIFFERENTIAL
