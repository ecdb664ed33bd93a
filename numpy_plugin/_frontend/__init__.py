"""Declarations: from the user's functions, strings and options to plain data for C++."""
