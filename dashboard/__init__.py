"""Shows a store in the browser: pages, statistics, charts, the replay board and the HTTP API."""
