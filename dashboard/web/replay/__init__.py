"""A replay that anyone opens: `/r/{id}/{deal}/{ply}`, a page with the board and no Streamlit."""
