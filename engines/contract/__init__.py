"""What an engine is: its verbs, what it declares as data, its options, prompts, wishes and limits."""
