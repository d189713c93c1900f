"""What the server answers itself, before a page is run: who comes in, and what is gone."""
