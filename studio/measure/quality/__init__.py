"""How good speech is: words, likeness, predicted quality, over texts and speakers."""
