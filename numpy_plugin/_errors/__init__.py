"""Exceptions, warnings, tracebacks, and the places in the user's files shown in messages."""
