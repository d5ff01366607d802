"""What is asked: plans, questions, texts, trials and their order."""
