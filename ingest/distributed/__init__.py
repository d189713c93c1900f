"""Checks and stores files with the workers of a Dask cluster."""
