"""Parity of CosyVoice3 through the engine's own door: what is heard of a text, and of a recording that is said again in another voice.

The official loop computes its last piece of sound without the mask of chunks, which ours keeps to; the goldens have it with the mask. Its
flow is given as much of the prompt as ours takes, and its draws and noise are ours.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engines.clips.clip import Transcript
from engines.contract.contract import Engine
from engines.contract.options import resolve_options
from engines.cosyvoice3 import PACKAGE
from tests.parity import golden
from tests.parity.cosyvoice3 import checkpoints
from tests.parity.cosyvoice3.cases import CONVERSIONS, GOLDEN, SEEDS, SPEECHES, Speech, TimbreMapping, clips, thinned

# Of the largest number: what is heard has been through tokens, ten steps of the flow, and phases that upstream rounds, see test_parity.py.
TOLERANCE = 1e-3


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("streams")


@pytest.fixture(scope="module")
def engines(folder) -> Iterator[dict[tuple[str, int | None], Engine]]:
    """By shape, and by when speech ends."""
    kinds = {(each.shape, each.ends_after) for each in SPEECHES}
    opened = {kind: _opened(folder / f"{kind[0]}_{kind[1]}", *kind) for kind in kinds}
    yield opened
    for engine in opened.values():
        engine.close()


def _opened(folder: Path, shape: str, ends_after: int | None) -> Engine:
    return PACKAGE.open(str(checkpoints.write(folder, shape, SEEDS[shape], ends_after)), device="cpu", dtype="float32")


@pytest.mark.parametrize("speech", SPEECHES, ids=lambda speech: speech.name)
def test_a_text_sounds_as_the_official_code_has_it(engines, speech: Speech):
    """In context, across languages, by instructions; cut, and ended by itself."""
    engine, theirs = engines[speech.shape, speech.ends_after], golden.read(GOLDEN / f"speech_{speech.name}.safetensors")
    prompt = engine.extract(clips()[speech.clip], Transcript(speech.words) if speech.words else None)
    given = {"seed": speech.seed, "max_tokens": speech.most, "instructions": speech.instructions or "", "runaway_guard": False}
    pieces = list(engine.stream(speech.text, prompt, resolve_options(engine.info.options, given)))
    assert sum(len(piece) > 0 for piece in pieces) > 1
    _check(np.concatenate(pieces), theirs)


@pytest.mark.parametrize("conversion", CONVERSIONS, ids=lambda conversion: conversion.shape)
def test_a_recording_is_said_again_as_the_official_code_has_it(engines, conversion: TimbreMapping):
    """But for the prompt, whose tokens and frames it does not cut to the same time where it converts."""
    engine, theirs = engines[conversion.shape, None], golden.read(GOLDEN / f"conversion_{conversion.shape}.safetensors")
    prompt = engine.extract(clips()[conversion.clip])
    options = resolve_options(engine.info.options, {})
    _check(np.concatenate(list(engine.convert(clips()[conversion.source], prompt, options))), theirs)


def _check(samples: np.ndarray, theirs: dict[str, np.ndarray]) -> None:
    assert len(samples) == theirs["n_samples"][0]
    error = np.abs(thinned(samples) - theirs["samples"]).max()
    assert error <= TOLERANCE * np.abs(theirs["samples"]).max()
