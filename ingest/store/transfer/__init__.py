"""Copies one store into another."""
