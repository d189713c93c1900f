"""HTTP handlers in front of Streamlit: authentication, static pages, replays."""
