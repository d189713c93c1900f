"""What the board and the pages know of each game."""
