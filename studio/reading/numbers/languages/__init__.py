"""The languages whose numbers are read, one file each."""
