"""Numbers, dates, currencies, units, times and abbreviations as words, as a person of each language says them."""
