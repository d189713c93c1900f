"""Services of a running server: health, metrics, logging, background work."""
