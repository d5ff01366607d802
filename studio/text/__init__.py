"""Texts: long ones in parts, how long they take to say, in which language; and messages without paths."""
