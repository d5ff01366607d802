"""Text in files that people bring: which bytes are text at all, and what they say."""
