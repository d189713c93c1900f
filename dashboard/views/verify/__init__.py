"""What the page that checks a log does: which text, under which rules, what is shown of it."""
