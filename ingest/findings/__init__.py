"""What can be wrong with a log, and its messages."""
