"""Numbers, terms and labels as people read them; no Streamlit."""
