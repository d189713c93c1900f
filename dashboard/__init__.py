"""From the store to eyes: pages, queries, figures and the replay board."""
