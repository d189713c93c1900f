"""What is measured, each row a ratio within one run; `python -m benchmarks` writes the table."""
