"""Parts of pages: filters, tables, charts, lists, uploads."""
