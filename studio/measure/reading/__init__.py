"""Reading, measured on lines as strangers write them: lines/ holds what is written and what is wanted, one table per language."""
