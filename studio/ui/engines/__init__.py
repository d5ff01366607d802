"""Engines on the page: their cards, terms, state and figures."""
