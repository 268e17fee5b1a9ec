"""Spark's built-in functions by name, each in exactly one list: what its value depends on.

A test asks the running Spark for all its functions, so that a version with a new one is noticed.
"""

from __future__ import annotations


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_COUNTS = _names("approx_count_distinct count count_if regr_count")
_COLLECTIONS = _names("approx_top_k array_agg collect_list collect_set collect_union")
_SKETCHES = _names("""
approx_top_k_accumulate approx_top_k_combine bitmap_and_agg bitmap_construct_agg bitmap_or_agg count_min_sketch
hll_sketch_agg hll_union_agg kll_merge_agg_bigint kll_merge_agg_double kll_merge_agg_float kll_sketch_agg_bigint
kll_sketch_agg_double kll_sketch_agg_float schema_of_variant_agg theta_intersection_agg theta_sketch_agg
theta_union_agg tuple_intersection_agg_double tuple_intersection_agg_integer tuple_sketch_agg_double
tuple_sketch_agg_integer tuple_union_agg_double tuple_union_agg_integer
""")
_NULL_OVER_NOTHING = _names("""
any any_value approx_percentile avg bit_and bit_or bit_xor bool_and bool_or corr covar_pop covar_samp every first
first_value histogram_numeric kurtosis last last_value listagg max max_by mean median min min_by mode percentile
percentile_approx percentile_cont percentile_disc regr_avgx regr_avgy regr_intercept regr_r2 regr_slope regr_sxx
regr_sxy regr_syy skewness some std stddev stddev_pop stddev_samp string_agg sum try_avg try_sum var_pop var_samp
variance vector_avg vector_sum
""")

EMPTY: dict[str, str] = {
    **dict.fromkeys(_NULL_OVER_NOTHING, "NULL"),
    **dict.fromkeys(_COUNTS, "0"),
    **dict.fromkeys(_COLLECTIONS, "ARRAY()"),
}
"""What an aggregate over no rows gives, in SQL; a sketch of nothing has no literal and is not listed."""

AGGREGATES = frozenset(EMPTY) | _SKETCHES
"""Functions of many rows."""

OPEN_TO_ORDER = _SKETCHES | _names("""
any_value approx_percentile approx_top_k array_agg collect_list collect_set collect_union first first_value
histogram_numeric last last_value listagg max_by min_by mode percentile_approx string_agg vector_avg vector_sum
""")
"""Aggregates that may give another value when the same rows arrive in another order (ties, order, approximation)."""

GROUPING = _names("grouping grouping_id")
"""Functions of the grouping set a row belongs to."""

WINDOW = _names("counter_diff cume_dist dense_rank lag lead nth_value ntile percent_rank rank row_number")
"""Functions that exist only over a window; aggregates may stand over one too."""

GENERATORS = _names("""
explode explode_outer inline inline_outer json_tuple posexplode posexplode_outer stack variant_explode
variant_explode_outer
""")
"""Functions of one row that yield rows."""
