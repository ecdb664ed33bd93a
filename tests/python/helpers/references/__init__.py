"""References for results, element by element."""
