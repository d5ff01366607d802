"""The tab "Scripts"."""
