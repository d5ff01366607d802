"""Editing: what is said in a recording is changed, and all that is not to be changed stays as it is, sample by sample."""
