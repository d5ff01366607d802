"""What goes back to a client: speech as it comes, whole files, results, how it ended."""
