"""Ways a game gets in that was never a log: text as people write it, spreadsheets."""
