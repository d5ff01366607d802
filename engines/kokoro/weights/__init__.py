"""Where Kokoro's weights are, and how they are read: from packages, in 8 bits, or as released on the hub."""
