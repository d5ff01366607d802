"""Files of other programs and of other people: configurations, lists of clips, tables of results."""
