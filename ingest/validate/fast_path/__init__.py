"""Clean logs checked in bulk by compiled code; all others take the slow path."""
