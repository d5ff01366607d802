"""A fleet on paper and in code: what many listeners get of many replicas of one engine; `python -m studio.measure.fleet`."""
