"""What the pages show, a subject a module."""
