"""Declarations: from a user's functions, texts and options to the plain data that C++ reads."""
