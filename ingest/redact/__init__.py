"""Redacts names and free text in logs for readers who may not see them."""
