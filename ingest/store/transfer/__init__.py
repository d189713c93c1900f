"""What one store has, put into another, and held against it afterwards."""
