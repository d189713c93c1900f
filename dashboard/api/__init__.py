"""The HTTP API below `/api/v1`: for programs, by the same queries, road and roles as the pages."""
