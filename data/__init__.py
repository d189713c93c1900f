"""Sample logs, faulty logs with their findings, the JSON Schema, and their builders."""
