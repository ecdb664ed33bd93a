"""Short programs that ask one question of the GPU each, and fail where the answer is wrong."""
