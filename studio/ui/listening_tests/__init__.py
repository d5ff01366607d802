"""The tab of listening tests: building, watching, results."""
