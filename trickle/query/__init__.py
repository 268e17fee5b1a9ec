"""SQL text to operator tree and back; the only package that knows sqlglot well."""
