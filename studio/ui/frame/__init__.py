"""The page as a whole: its rooms, head, theme, sign-in, and what guards it."""
