"""The commands of the terminal that show what the pages show."""
