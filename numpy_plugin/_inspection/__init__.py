"""Results of `inspect`: sources, binaries, resources, and how a call would be executed."""
