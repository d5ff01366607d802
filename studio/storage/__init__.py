"""Durable files: written whole, quarantined when damaged, kept for a while when deleted. It knows no speakers."""
