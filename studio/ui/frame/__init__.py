"""The frame of the page: its tabs, head, theme, sign-in, and guards."""
