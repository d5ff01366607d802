"""Cache & models: what every engine knows of every voice."""
