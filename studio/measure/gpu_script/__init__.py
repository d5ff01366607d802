"""What a GPU is asked when there is one for a few minutes: a plan of parts, each a command of its own, and one report of all."""
