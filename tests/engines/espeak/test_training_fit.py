"""How the prior is trained: the same bits every time, of sentences that are drawn the same every time."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from engines.errors import EngineUnavailable
from engines.espeak.prior.hidden_stream import N_CEPSTRA_IN
from engines.espeak.prior.prior import N_OUTPUTS
from engines.espeak.training import fitting
from engines.espeak.training.aligned.aligned_utterance import AlignedUtterance
from engines.espeak.training.fitting import fit_prior
from engines.espeak.training.voices.drawn_sentences import drawn_sentences
from engines.espeak.training.voices.training_voice import INSTALL

N_FRAMES = 200


def _utterance(voice: str, natural: bool) -> AlignedUtterance:
    random = np.random.default_rng(len(voice))
    cepstra = random.standard_normal((N_FRAMES, N_CEPSTRA_IN)).astype(np.float32)
    targets = np.zeros((N_FRAMES, N_OUTPUTS), np.float32)
    targets[:, :N_CEPSTRA_IN] = 2 * cepstra + 1
    return AlignedUtterance(
        voice=voice, language="en", natural=natural, text="", cost=0.0, cepstra=cepstra, targets=targets,
        at=np.arange(N_FRAMES, dtype=np.float32),
        source_f0=np.full(N_FRAMES, 100, np.float32), position=np.linspace(0, 1, N_FRAMES, dtype=np.float32),
        phones=np.ones((N_FRAMES, 3), np.int32), speech=np.ones(N_FRAMES, bool),
        f0=(200 * np.exp(0.1 * cepstra[:, 0])).astype(np.float32),
    )  # fmt: skip


@pytest.fixture(autouse=True)
def little_measured(monkeypatch):
    monkeypatch.setattr(fitting, "_MEASURED_BATCHES", 1)


@pytest.fixture(scope="module")
def utterances() -> list[AlignedUtterance]:
    return [_utterance("one", True), _utterance("other", False)]


def test_training_again_gives_the_same_bits(utterances):
    first, again = (fit_prior(utterances, {"a": 1, "_": 2}, 3) for _ in range(2))
    assert first.tensors.keys() == again.tensors.keys()
    for name, tensor in first.tensors.items():
        np.testing.assert_array_equal(tensor, again.tensors[name], err_msg=name)


def test_every_voice_has_heads_of_five_vocal_tracts(utterances):
    prior = fit_prior(utterances, {"a": 1, "_": 2}, 1)
    assert len(prior.head_names) == len(prior.heads) == 10 and {"one*1.0", "other*0.84"} <= set(prior.head_names)


def test_sentences_are_drawn_the_same_every_time(tmp_path, monkeypatch):
    (tmp_path / "assets").mkdir()
    for kind, words in (("noun", "tree\nATM\nice cream\nhouse"), ("adjective", "red\nodd"), ("verb", "sing\nrun")):
        (tmp_path / "assets" / f"{kind}list.txt").write_text(words, encoding="utf-8")
    monkeypatch.setitem(sys.modules, "wonderwords", SimpleNamespace(__file__=str(tmp_path / "__init__.py")))
    sentences = drawn_sentences(40)
    assert sentences == drawn_sentences(40) and len(set(sentences)) > 20
    assert not any("{" in sentence or "ATM" in sentence for sentence in sentences)


def test_without_the_words_the_next_step_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "wonderwords", None)
    with pytest.raises(EngineUnavailable, match="is not installed here: wonderwords") as refused:
        drawn_sentences(1)
    assert refused.value.command == INSTALL and INSTALL in refused.value.hint
