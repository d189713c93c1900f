"""What can be wrong with a log, and how it is said."""
