"""Figures of the server: load, listeners, memory, a server to ask."""
