"""Recordings on the page: how they come in, what is said of them, learning them."""
