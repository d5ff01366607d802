"""Elements of phones in a text, for who looks for its words in a sound: what stands in one is what is heard, or near to it."""

from engines.kit.phonemes.ipa import PHONEME, phone_parts, without_phones

__all__ = ["asked_phones", "plain_text"]


def asked_phones(text: str) -> list[tuple[int, int, str]]:
    """(start, end, what stands in it) of each element."""
    return [(start, end, said) for start, end, said in _parts(text) if said != text[start:end]]


def plain_text(text: str) -> str:
    """Of the same length, each word at its place, or within that of its element."""
    return "".join(said.center(end - start) for start, end, said in _parts(text))


def _parts(text: str) -> list[tuple[int, int, str]]:
    if PHONEME not in text:
        return [(0, len(text), text)]
    return [(start, end, without_phones(text[start:end])) for start, end, _ in phone_parts(text, lambda phones: phones)]
