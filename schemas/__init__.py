"""What a log is: its models, its words, its JSON Schema, and the tables that hold it."""
