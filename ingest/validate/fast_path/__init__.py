"""Validates clean logs in bulk with compiled code."""
