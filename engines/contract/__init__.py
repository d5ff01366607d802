"""The contract of an engine: its methods, and what it declares as data: options, prompts, wishes and limits."""
