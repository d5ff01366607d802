"""The crossed model: systems compared over people and texts, both drawn at random. Listening tests and evaluations judge by it."""
