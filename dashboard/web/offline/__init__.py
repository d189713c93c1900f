"""Pages that open without the server: copies in the browser, and a draft without Streamlit."""
