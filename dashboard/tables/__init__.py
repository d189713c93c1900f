"""Tables of figures as columns, for the page and the terminal alike; no Streamlit."""
