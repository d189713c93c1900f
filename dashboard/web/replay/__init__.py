"""The public replay page `/r/{id}/{deal}/{ply}`, served without Streamlit."""
