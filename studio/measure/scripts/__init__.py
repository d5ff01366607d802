"""Figures of scripts: what the best of several takes brings, and how soon a line is heard."""
