"""The types that Spark's functions have whatever their arguments are; a test compares them with Spark's own."""

from __future__ import annotations

_TYPES = {
    "boolean": """
array_contains arrays_overlap bool_and bool_or boolean contains endswith equal_null every exists forall ilike
is_valid_utf8 isnan isnotnull isnull like luhn_check map_contains_key regexp regexp_like rlike some startswith
xpath_boolean
""",
    "tinyint": "bit_get getbit grouping tinyint",
    "smallint": "smallint xpath_short",
    "int": """
array_size ascii bit_count bit_length cardinality char_length character_length day dayofmonth dayofweek dayofyear
dense_rank find_in_set hash hour instr int json_array_length len length levenshtein locate minute month ntile
octet_length position quarter rank regexp_count regexp_instr row_number second size unix_date weekday weekofyear
xpath_int year
""",
    "bigint": """
approx_count_distinct array_position bigint bitmap_bit_position bitmap_bucket_number bitmap_count count count_if crc32
div factorial grouping_id hll_sketch_estimate regr_count timestampdiff to_unix_timestamp unix_micros unix_millis
unix_seconds unix_timestamp width_bucket xpath_long xxhash64
""",
    "float": "float xpath_float",
    "decimal(10,0)": "decimal",
    "double": """
acos acosh asin asinh atan atan2 atanh cbrt corr cos cosh cot covar_pop covar_samp csc cume_dist degrees double e exp
expm1 hypot jaro_winkler_similarity kurtosis ln log log10 log1p log2 months_between percent_rank pi pow power radians
rand randn random regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy rint sec sign signum sin sinh skewness
sqrt std stddev stddev_pop stddev_samp tan tanh var_pop var_samp variance xpath_double xpath_number
""",
    "string": """
array_join base64 bin btrim char chr collation concat_ws conv date_format dayname format_number format_string
from_unixtime get_json_object hex initcap lcase lower ltrim make_valid_utf8 mask md5 monthname parse_url printf quote
regexp_extract regexp_replace regexp_substr repeat replace right rtrim schema_of_csv schema_of_json schema_of_xml sha
sha1 sha2 soundex space split_part string substring_index to_base32 to_char to_csv to_json to_varchar to_xml translate
trim try_parse_url try_url_decode try_validate_utf8 typeof ucase upper url_decode url_encode validate_utf8
xpath_string
""",
    "binary": """
aes_decrypt binary bitmap_and_agg bitmap_construct_agg bitmap_or_agg count_min_sketch encode from_base32
hll_sketch_agg hll_union hll_union_agg hmac theta_difference theta_intersection theta_intersection_agg
theta_sketch_agg theta_union theta_union_agg to_binary try_aes_decrypt try_to_binary unbase64 unhex
""",
    "date": """
add_months curdate current_date date date_from_unix_date date_sub last_day make_date next_day to_date trunc
try_to_date
""",
    "timestamp": """
current_timestamp date_trunc from_utc_timestamp make_timestamp make_timestamp_ltz now timestamp timestamp_micros
timestamp_millis timestamp_seconds to_timestamp to_timestamp_ltz to_utc_timestamp try_make_timestamp
try_make_timestamp_ltz try_to_timestamp
""",
    "timestamp_ntz": "convert_timezone localtimestamp to_timestamp_ntz",
    "array<string>": "json_object_keys regexp_extract_all split xpath",
    "array<array<string>>": "sentences",
    "map<string,string>": "str_to_map",
}

RESULTS: dict[str, str] = {name: type_ for type_, names in _TYPES.items() for name in names.split()}
"""Function to type, for those whose type does not depend on the arguments."""
