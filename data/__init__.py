"""Sample logs, faulty logs beside their findings, the JSON Schema, and what made them."""
