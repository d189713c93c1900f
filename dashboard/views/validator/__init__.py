"""The page Validator: a text, the rules it is checked by, and its findings."""
