"""Quality of speech: words, likeness, predicted quality, over texts and speakers."""
