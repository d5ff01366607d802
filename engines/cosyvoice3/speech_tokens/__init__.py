"""Text to speech tokens, 25 a second: the language model, how it draws, and how many it may say."""
