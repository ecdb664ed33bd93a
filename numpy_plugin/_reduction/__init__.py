"""`reduction`: map and reduce in one pass, on the CPU and on devices."""
