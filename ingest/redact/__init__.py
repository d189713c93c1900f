"""Names and free text taken out of logs, for readers who may not see them."""
