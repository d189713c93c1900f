"""From files to the store: read, decode, check in bulk, explain, store; and the command line."""
