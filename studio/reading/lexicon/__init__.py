"""A pronunciation dictionary: how written words are said, and the files that such dictionaries come in."""
