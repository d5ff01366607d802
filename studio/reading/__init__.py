"""Reading: from what people write to what is said: characters, markup, lines, pauses, numbers, a dictionary, directions."""
