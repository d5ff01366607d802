"""Statistics of listening tests: intervals, tests, rankings, screening and power. `analysis.py` puts them together."""
