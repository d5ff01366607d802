"""Clips on the page: how they come in, how they are judged, how engines learn them."""
