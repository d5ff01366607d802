"""The plan side of a test: plans, questions, texts, trials and their order."""
