"""Formula guard: stops a spreadsheet from running a name in a table as a formula.

What would be (https://owasp.org/www-community/attacks/CSV_Injection) gets an apostrophe in front, as programs for tables write plain text;
so does what looks as if it had been guarded, so that the way back is exact for every text.
"""

import re

__all__ = ["guard_formula", "unguard_formula"]

_STARTS = re.compile(r"'*(?:\s*[=+\-@＝＋－＠]|[\t\r\n])")


def guard_formula(text: str) -> str:
    """As it is written into a table."""
    return f"'{text}" if _STARTS.match(text) else text


def unguard_formula(text: str) -> str:
    """What `guard_formula` was given; any text that needed no guard as it is."""
    return text[1:] if text.startswith("'") and _STARTS.match(text) else text
