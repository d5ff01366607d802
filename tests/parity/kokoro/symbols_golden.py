"""Symbols that misaki 0.9.4 makes of TEXTS by its eSpeak route: `python -m tests.parity.kokoro.symbols_golden`.

To be run where misaki 0.9.4, phonemizer-fork and espeakng-loader 0.2.4 are; it writes golden/symbols.json. English is read by the fallback
for words that misaki's lexicon lacks. What the model has no number for is left out, as the official pipeline leaves it out.
"""

import json
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

from misaki.espeak import EspeakFallback, EspeakG2P

from engines.kokoro.config import VOCAB
from tests.parity.kokoro.texts import TEXTS

FILE = Path(__file__).parent / "golden" / "symbols.json"
NAMES = {"fr": "fr-fr"}  # as the official pipeline calls languages


def main() -> None:
    content = {"misaki": "0.9.4", "espeakng-loader": version("espeakng-loader"), "symbols": {}}
    for language, texts in TEXTS.items():
        if language.startswith("en"):
            fallback = EspeakFallback(british=language == "en-gb")
            said = [fallback(SimpleNamespace(text=text))[0] for text in texts]
        else:
            read = EspeakG2P(NAMES.get(language, language))
            said = [read(text)[0] for text in texts]
        content["symbols"][language] = ["".join(symbol for symbol in line if symbol in VOCAB) for line in said]
    FILE.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
