"""A match that is typed in: its steps said one after the other, and how it stands then."""
