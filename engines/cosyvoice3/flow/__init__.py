"""Speech tokens to mel frames, chunk by chunk, for many streams at once."""
