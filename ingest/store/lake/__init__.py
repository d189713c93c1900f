"""A store many write to: Parquet files anywhere, a PostgreSQL database that says which they are."""
