"""Files that the page gives out, each to its owner alone."""
