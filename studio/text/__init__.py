"""Texts: long ones in parts, how long they take to say, and in which language."""
