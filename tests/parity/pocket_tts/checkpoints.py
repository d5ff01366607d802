"""The checkpoint folders of both sides: the toy ones of the engine's tests, and those of released sizes, with a threshold of the end."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import yaml

from tests.engines.pocket_tts.random_checkpoint import RandomCheckpoint, full_size, write_checkpoint
from tests.engines.pocket_tts.tiny_checkpoint import tiny
from tests.engines.pocket_tts.vocabulary import pieces, write_model
from tests.parity.pocket_tts.cases import NEVER

__all__ = ["VARIANTS", "set_threshold", "write_released_size", "write_toy"]

VARIANTS = {
    "2M": "english_2m_2026-10", "7M": "english_7m_2026-10", "18M": "english_18m_2026-10", "100M": "english", "24l": "english_2026-09_24l",
}  # fmt: skip
WORD_SCORE = -5.0  # above every other piece's


def write_toy(folder: Path, kind: str, threshold: float, changes: Mapping[str, object] | None = None) -> Path:
    """A toy checkpoint that ends above this. changes: of its configuration at the top, but for insert_bos_before_voice of flow_lm."""
    config, changed = tiny(kind), dict(changes or {})
    lm = config["flow_lm"] | {name: changed.pop(name) for name in ("insert_bos_before_voice",) if name in changed}
    return set_threshold(write_checkpoint(folder, RandomCheckpoint(config | changed | {"flow_lm": lm})), threshold)


def write_released_size(folder: Path, size: str, words: Iterable[str]) -> Path:
    """A checkpoint of that size that never ends by itself. words: get a token each, so that a text is about as many rows as it would be."""
    write_checkpoint(folder, full_size(VARIANTS[size]))
    _put_words(folder, words)
    return set_threshold(folder, NEVER)


def set_threshold(folder: Path, threshold: float) -> Path:
    """Write it into the folder's configuration."""
    file = folder / "config.yaml"
    config = yaml.safe_load(file.read_text(encoding="utf-8")) | {"default_eos_threshold": threshold}
    file.write_text(yaml.safe_dump(config, sort_keys=False, allow_unicode=True), encoding="utf-8")
    return folder


def _put_words(folder: Path, words: Iterable[str]) -> None:
    """Those that it lacks, in place of the last pieces of the vocabulary, which no text needs."""
    n_bins = yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))["flow_lm"]["lookup_table"]["n_bins"]
    listed = pieces(n_bins)
    lacking = sorted({f"▁{word}" for word in words} - {text for text, _, _ in listed})
    listed[-len(lacking) :] = [(text, WORD_SCORE, listed[-1][2]) for text in lacking]
    if (folder / "tokenizer.model").exists():
        write_model(folder / "tokenizer.model", listed)
        return
    file = folder / "tokenizer.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    content["model"]["vocab"] = [[text, score] for text, score, _ in listed]
    file.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
