"""Typing a match in: what a draft's steps come to, what its page is told, the page itself."""
