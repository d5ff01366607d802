"""The one model behind every verdict: crossed random effects of listeners and texts, by restricted maximum likelihood."""
