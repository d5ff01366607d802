"""Readers of the languages that eSpeak NG does not read for Kokoro: misaki's, as in the official pipeline, where they are installed."""

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec

__all__ = ["INSTALLED", "phonemes"]

# What each imports; engines/README.md has the lines that install it.
_MODULES = {
    "ja": ("misaki", "addict", "fugashi", "jaconv", "mojimoji", "pyopenjtalk", "unidic_lite"),
    "zh": ("misaki", "pypinyin", "jieba", "cn2an", "ordered_set"),
}
# Languages whose front end is here when the engine is looked at for the first time.
INSTALLED = tuple(language for language, modules in _MODULES.items() if all(find_spec(module) for module in modules))


def phonemes(text: str, language: str) -> str:
    """The text in the letters of Kokoro's symbols, among them some that it does not have. language: one of INSTALLED."""
    return _reader(language)(text)[0] or ""


@cache
def _reader(language: str) -> Callable[[str], tuple[str | None, object]]:
    """Loading a dictionary takes a second or two."""
    if language == "ja":
        from misaki.ja import JAG2P

        return JAG2P()
    from misaki.zh import ZHG2P

    return ZHG2P()
