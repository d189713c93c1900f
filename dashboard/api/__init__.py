"""The HTTP API below `/api/v1`, with the same queries, pipeline and roles as the pages."""
