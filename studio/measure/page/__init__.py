"""Figures of the page, in Chromium."""
