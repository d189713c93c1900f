"""A store with many writers: Parquet files and a PostgreSQL catalogue."""
