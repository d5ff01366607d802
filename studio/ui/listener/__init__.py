"""The page of a listener in a listening test."""
