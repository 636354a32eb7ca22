"""Between SDV and the core: the user's frames and what the model learns."""
