"""Bytes → texts of one match, and where things stand in them."""
