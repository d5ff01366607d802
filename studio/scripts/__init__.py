"""Scripts: a text with a cast, line by line, from a paste to a finished recording."""
