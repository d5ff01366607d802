"""Doors for who is at this machine: what the command line does beside serving, and the studio of Python programs and notebooks."""
