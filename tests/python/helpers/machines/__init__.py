"""Strange machines: files that do not exist, drivers that count and fail."""
