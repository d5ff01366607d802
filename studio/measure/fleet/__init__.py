"""A simulated fleet: how well many replicas of one engine serve many listeners. Run it by `python -m studio.measure.fleet`."""
