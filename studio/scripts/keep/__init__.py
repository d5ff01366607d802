"""Storage of scripts: head, cast, lines, takes, queue and the steps that can be undone, on disk."""
