"""Storage of evaluations: plans, cells, figures, sounds and recordings, on disk."""
