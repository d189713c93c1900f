"""The log format: models, notation, JSON Schema, and the store's tables."""
