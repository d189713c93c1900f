"""Ways a game gets in that was never a log: recorded act by act, put together, typed in."""
