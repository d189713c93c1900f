"""What `ingest` knows of each game: its rows, and how its acts are spoken."""
