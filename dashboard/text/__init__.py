"""Numbers, terms and labels as readers see them; no Streamlit."""
