"""Figures as words: sizes and times as the page writes them."""

__all__ = ["size_words", "time_words"]

KIBIBYTE = 1024
SECONDS_PER_MINUTE = 60


def size_words(n_bytes: int) -> str:
    """Such as "812 kB" or "3.1 GB"; units of 1024."""
    size = float(n_bytes)
    for unit in ("B", "kB", "MB"):
        if round(size) < KIBIBYTE:
            return f"{size:.0f} {unit}" if size >= 10 or unit == "B" else f"{size:.1f} {unit}"
        size /= KIBIBYTE
    return f"{size:.1f} GB"


def time_words(seconds: float) -> str:
    """Such as "84 ms", "1.2 s" or "3 min 12 s"."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < SECONDS_PER_MINUTE:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), SECONDS_PER_MINUTE)
    return f"{minutes} min {rest} s"
