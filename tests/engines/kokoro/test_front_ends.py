"""Languages that eSpeak does not read for Kokoro: spoken where their reader is installed, and not offered where it is not."""

import importlib
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from engines.errors import LanguageUnsupported, OptionInvalid
from engines.kokoro import front_ends, options, symbols
from engines.kokoro.symbols import SymbolText, symbols_of
from tests.engines.kokoro.opened import opened, say

READ = "ko\u0302ɲɲiʨiβa."  # among the letters one that the model has no symbol for


class FakeReader:
    """As misaki's: a call gives letters, and something else; None for what it cannot read."""

    def __call__(self, text: str) -> tuple[str | None, object]:
        return (READ if text != "無" else None), []


@pytest.fixture
def japanese(tmp_path, monkeypatch) -> Iterator[None]:
    """Packages of these names are on the path, and misaki's reader is the fake."""
    for package in front_ends._MODULES["ja"]:
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("")
    (tmp_path / "misaki/ja.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    reader = ModuleType("misaki.ja")
    reader.JAG2P = FakeReader
    monkeypatch.setitem(sys.modules, "misaki.ja", reader)
    front_ends._reader.cache_clear()
    yield
    front_ends._reader.cache_clear()


def installed() -> tuple[str, ...]:
    """As the module finds them when it is imported; the one that everybody has stays as it is."""
    spec = importlib.util.find_spec("engines.kokoro.front_ends")
    fresh = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fresh)
    return fresh.INSTALLED


def test_a_language_is_offered_where_all_its_packages_are(japanese, tmp_path):
    assert "ja" in installed()
    for package in front_ends._MODULES["ja"][1:]:
        (tmp_path / package / "__init__.py").rename(tmp_path / package / "away")
        (tmp_path / package).rename(tmp_path / f"no_{package}")
        importlib.invalidate_caches()
        assert ("ja" in installed()) == bool(importlib.util.find_spec(package))
        (tmp_path / f"no_{package}").rename(tmp_path / package)
        (tmp_path / package / "away").rename(tmp_path / package / "__init__.py")
        importlib.invalidate_caches()


@pytest.mark.skipif("ja" in front_ends.INSTALLED, reason="a reader of Japanese is installed")
def test_without_its_reader_a_language_is_not_offered():
    engine = opened()
    assert "ja" not in options.CODES and "ja" not in engine.info.languages
    assert "jf_alpha" in engine.info.presets and "jf_alpha" not in engine.info.preset_languages
    with pytest.raises(OptionInvalid):
        say(engine, "こんにちは。", "jf_alpha", language="ja")
    with pytest.raises(LanguageUnsupported, match="does not speak ja: the text seems to be"):
        say(engine, "こんにちは。", "jf_alpha")
    assert len(say(engine, "Hello.", "jf_alpha")), "the voice speaks other languages"


def test_japanese_is_read_through_its_reader_and_letters_without_a_symbol_are_told(japanese, monkeypatch):
    monkeypatch.setattr(symbols, "INSTALLED", ("ja",))
    assert symbols_of("こんにちは。", "ja") == SymbolText("koɲɲiʨiβa.", "\u0302")
    assert symbols_of("無", "ja") == SymbolText("", "")
