"""Named, consented recordings: what they are, how they come to be, where they lie."""
