"""Table columns shared by pages and terminal; no Streamlit."""
