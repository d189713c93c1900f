"""What whoever runs the server asks of it: is it well, how much is asked of it, what went wrong."""
