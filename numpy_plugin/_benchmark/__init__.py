"""`benchmark`: a ufunc's speed and values beside those of other functions."""
