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

_MATH = _names("""
abs acos acosh asin asinh atan atan2 atanh bin bround cbrt ceil ceiling conv cos cosh cot csc degrees div e exp expm1
factorial floor greatest hex hypot least ln log log10 log1p log2 mod negative pi pmod positive pow power radians rint
round sec sign signum sin sinh sqrt tan tanh try_add try_divide try_mod try_multiply try_subtract unhex width_bucket
""")
_TEXT = _names("""
ascii base64 bit_length btrim char char_length character_length chr collation concat_ws contains decode elt
encode endswith find_in_set format_number format_string from_base32 initcap instr is_valid_utf8
jaro_winkler_similarity lcase left len length levenshtein locate lower lpad ltrim luhn_check make_valid_utf8 mask
octet_length overlay position printf quote regexp_count regexp_extract regexp_extract_all regexp_instr regexp_replace
regexp_substr repeat replace right rpad rtrim sentences soundex space split split_part startswith substr substring
substring_index to_base32 to_binary to_char to_number to_varchar translate trim try_to_binary try_to_number
try_validate_utf8 ucase unbase64 upper validate_utf8
""")
_TIME = _names("""
add_months convert_timezone date_add date_diff date_format date_from_unix_date date_part date_sub date_trunc dateadd
datediff datepart day dayname dayofmonth dayofweek dayofyear extract from_unixtime from_utc_timestamp hour last_day
make_date make_dt_interval make_interval make_time make_timestamp make_timestamp_ltz make_timestamp_ntz
make_ym_interval minute month monthname months_between next_day quarter second time_bucket time_diff time_from_micros
time_from_millis time_from_seconds time_to_micros time_to_millis time_to_seconds time_trunc timestamp_micros
timestamp_millis timestamp_nanos timestamp_seconds to_date to_time to_timestamp to_timestamp_ltz to_timestamp_ntz
to_unix_timestamp to_utc_timestamp trunc try_make_interval try_make_timestamp try_make_timestamp_ltz
try_make_timestamp_ntz try_to_date try_to_time try_to_timestamp unix_date unix_micros unix_millis unix_nanos
unix_seconds unix_timestamp weekday weekofyear year
""")
_BITS = _names("""
bit_count bit_get getbit shiftleft shiftright shiftrightunsigned
""")
_CONDITIONS = _names("""
and between coalesce equal_null if ifnull ilike in isnan isnotnull isnull like nanvl not nullif nullifzero nvl nvl2 or
regexp regexp_like rlike when zeroifnull
""")
_CONVERSIONS = _names("""
bigint binary boolean cast date decimal double float int smallint string time timestamp tinyint
""")
_HASHES = _names("""
crc32 hash md5 sha sha1 sha2 xxhash64
""")
_COLLECTIONS_OF = _names("""
aggregate array array_append array_compact array_contains array_distinct array_except array_insert array_intersect
array_join array_max array_min array_position array_prepend array_remove array_repeat array_size array_sort
array_union arrays_overlap cardinality concat element_at exists filter flatten forall get map map_concat
map_contains_key map_entries map_filter map_from_arrays map_from_entries map_keys map_values map_zip_with named_struct
reduce reverse sequence size slice sort_array str_to_map struct transform transform_keys transform_values
try_element_at vector_cosine_similarity vector_inner_product vector_l2_distance vector_norm vector_normalize zip_with
""")
_DOCUMENTS = _names("""
from_csv from_json from_xml get_json_object is_valid_variant is_variant_null json_array_length json_object_keys
parse_json parse_url schema_of_csv schema_of_json schema_of_variant schema_of_xml to_csv to_json to_variant_object
to_xml try_parse_json try_parse_url try_url_decode try_variant_array_append try_variant_get try_variant_insert
try_variant_set url_decode url_encode variant_array_append variant_delete variant_get variant_insert variant_set
variant_strip_nulls xpath xpath_boolean xpath_double xpath_float xpath_int xpath_long xpath_number xpath_short
xpath_string
""")
_SKETCHED = _names("""
approx_top_k_estimate hll_sketch_estimate hll_union kll_sketch_get_n_bigint kll_sketch_get_n_double
kll_sketch_get_n_float kll_sketch_get_quantile_bigint kll_sketch_get_quantile_double kll_sketch_get_quantile_float
kll_sketch_get_rank_bigint kll_sketch_get_rank_double kll_sketch_get_rank_float kll_sketch_to_string_bigint
kll_sketch_to_string_double kll_sketch_to_string_float theta_difference theta_intersection theta_sketch_estimate
theta_union tuple_difference_double tuple_difference_integer tuple_difference_theta_double
tuple_difference_theta_integer tuple_intersection_double tuple_intersection_integer tuple_intersection_theta_double
tuple_intersection_theta_integer tuple_sketch_estimate_double tuple_sketch_estimate_integer
tuple_sketch_summary_double tuple_sketch_summary_integer tuple_sketch_theta_double tuple_sketch_theta_integer
tuple_union_double tuple_union_integer tuple_union_theta_double tuple_union_theta_integer
""")
_OTHER = _names("""
aes_decrypt assert_true bitmap_bit_position bitmap_bucket_number bitmap_count hmac raise_error st_asbinary
st_geogfromwkb st_geomfromwkb st_setsrid st_srid try_aes_decrypt typeof
""")

DETERMINISTIC = (
    _MATH | _TEXT | _TIME | _BITS | _CONDITIONS | _CONVERSIONS | _HASHES | _COLLECTIONS_OF | _DOCUMENTS
    | _SKETCHED | _OTHER | _names("case timestampadd timestampdiff try_cast")
)  # fmt: skip
"""Functions of their arguments alone; the last few are syntax that Spark does not list."""

CLOCK = _names("curdate current_date current_time current_timestamp current_timezone localtime localtimestamp now")
"""Functions of the moment a query runs at; unix_timestamp() without an argument is one too."""

_RANDOM = _names("""
aes_encrypt kll_sketch_merge_bigint kll_sketch_merge_double kll_sketch_merge_float monotonically_increasing_id rand
randn random randstr shuffle spark_partition_id uniform uuid
""")
_SESSION = _names("""
current_catalog current_database current_path current_schema current_user input_file_block_length
input_file_block_start input_file_name session_user user version
""")
_FOREIGN = _names("from_avro from_protobuf java_method measure reflect schema_of_avro to_avro to_protobuf try_reflect")
_SHAPED_BY_THE_QUERY = _names("arrays_zip collate session_window window window_time")

REFUSED = _RANDOM | _SESSION | _FOREIGN | _SHAPED_BY_THE_QUERY
"""Functions of chance (AES_ENCRYPT draws its own start vector), of the session or the files read, of code Spark cannot
see into, and those whose meaning lies around them (COLLATE makes different texts equal, ARRAYS_ZIP names fields by
columns)."""

TABLE_FUNCTIONS = _names("collations python_worker_logs range sql_keywords")
"""Functions that stand in FROM only and read no row."""
