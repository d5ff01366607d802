"""Files that survive: written whole, set aside when damaged, kept for a while when deleted. Knows no speakers."""
