"""Exceptions, warnings, tracebacks, and the places in a user's files that messages show."""
