"""One command on a machine with a GPU: what is right, what is wrong, and how fast it is."""
