"""Programs that try the kernels with hostile input, by hand for long and in the suite for a moment."""
