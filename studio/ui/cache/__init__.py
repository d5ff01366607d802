"""Cache & models: the status of every voice with every engine."""
