"""The people of a test: where they come from, what they say of themselves, and what they take along. What they answer is in `vote`."""
