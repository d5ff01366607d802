"""The natural source, with a stand-in for its package: when it speaks, as whom, and that its streams are as exact as eSpeak's."""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from engines.clips.clip import Clip
from engines.contract.options import resolve_options
from engines.errors import EngineFailed, EngineUnavailable, OptionInvalid, TextUnspeakable
from engines.espeak import PACKAGE
from engines.espeak.natural.natural_examples import NaturalExamples
from engines.espeak.natural.natural_mapping import NaturalMapping, NaturalModel, NaturalParams
from engines.espeak.natural.natural_pool import NaturalPool, find_tract, tract_matrix
from engines.espeak.natural.natural_source import TENSORS, NaturalSource, natural_tensors
from engines.espeak.natural.natural_voice import NaturalVoice, is_readable
from engines.espeak.synthesis import SynthesisParams
from engines.espeak.vocoder import Vocoder
from engines.kit.phonemes.languages import language_of
from engines.kit.signal.clip_analysis import ClipAnalysis
from engines.kit.signal.spectrum import N_CEPSTRA, N_MELS, SAMPLE_RATE, cepstra_of, envelope_of

TEXT = "Well then, the lazy dog of the house barks at noon. Why? It could!"
ENGLISH = language_of("", "en")
TRACT, OCTAVES = 1.08, 0.25  # of the person in the clip, above the source


class StandIn:
    """Speaks vowels, one a letter, at 200 Hz, on the frames of the real package."""

    def __init__(self, heard: list[str]):
        self._heard = heard
        self.sess = SimpleNamespace(run=self._run)

    def phonemize(self, text: str) -> list[str]:
        self._heard.append(text)
        if "breaks" in text:
            raise RuntimeError("no such table")
        return [part for part in (text,) if "silence" not in part]

    def ids(self, phonemes: str) -> list[int]:
        return [0, *(ord(letter) % 7 for letter in phonemes), 0]

    def _run(self, _outputs: None, given: dict[str, np.ndarray]) -> list[np.ndarray]:
        letters = np.repeat(given["ids"][0], max(1, round(5 / float(given["speed"][0]))))
        return [np.zeros((1, 2, len(letters)))] * 4 + [letters[None], np.where(letters > 0, 200.0, 0.0)[None]]


def synth(_lh, _theta, _ln, _lr, letters: np.ndarray, f0: np.ndarray, _rng) -> np.ndarray:
    """Pulses at f0 through one resonance a letter."""
    time = np.arange(len(f0) * 300) / SAMPLE_RATE
    sound = np.zeros(len(time))
    for k in range(1, 40):
        weight = np.repeat(np.exp(-(((200 * k - 400 * (letters + 1)) / 600) ** 2)) + 0.01, 300)
        sound += 0.1 * weight * np.cos(2 * np.pi * 200 * k * time)
    return (sound * np.repeat(f0 > 0, 300)).astype(np.float32)


@pytest.fixture
def heard(monkeypatch) -> list[str]:
    """Installs the stand-in; what it was asked to say."""
    asked: list[str] = []
    package, dsp, runtime = ModuleType("hibari"), SimpleNamespace(SR=SAMPLE_RATE, HOP=300, synth=synth), ModuleType("onnxruntime")
    package.Hibari, package.dsp = lambda: StandIn(asked), dsp
    for module in (package, runtime):
        module.__spec__ = ModuleSpec(module.__name__, None)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    return asked


@pytest.fixture(scope="module")
def clip() -> Clip:
    """Six seconds of the pool's own frames, as a person speaks them with a shorter tract and a higher voice."""
    pool = NaturalPool.load()
    power = np.repeat(envelope_of(pool.cepstra[:600]) @ tract_matrix(TRACT), 2, 0)
    f0 = np.exp(pool.log_f0[0]) * 2**OCTAVES * np.exp(0.1 * np.sin(np.arange(len(power)) / 30))
    samples = Vocoder(0).push(f0, power, np.full((len(power), 6), 0.2, np.float32))
    return Clip(0.1 * samples / samples.std(), SAMPLE_RATE)


@pytest.fixture(scope="module")
def tensors(clip) -> dict[str, np.ndarray]:
    recording = ClipAnalysis.of(clip)
    exemplars = cepstra_of(recording.log_envelope[recording.speech][::2]).astype(np.float16)
    pool = NaturalPool.load()
    return natural_tensors(pool, recording, find_tract(pool, recording)) | {"exemplars": exemplars}


@pytest.fixture
def source() -> NaturalSource:
    return NaturalSource()


def said(source: NaturalSource, tensors: dict[str, np.ndarray], text: str = TEXT, **delivery) -> np.ndarray:
    return np.concatenate(list(source.stream(text, tensors, SynthesisParams(ENGLISH, **delivery))))


def median_f0(samples: np.ndarray) -> float:
    f0 = ClipAnalysis.of(Clip(samples, SAMPLE_RATE)).f0
    return float(np.median(f0[f0 > 0]))


def test_tract_and_pitch_of_a_speaker_are_found(tensors):
    model = NaturalModel.of(tensors)
    assert tensors["natural_voice"][0] == pytest.approx(TRACT, abs=0.04)
    assert np.exp(model.log_f0 - model.source_log_f0) == pytest.approx(2**OCTAVES, rel=0.03)


def test_a_prompt_holds_what_the_source_needs_wherever_it_was_made(prompt):
    assert set(TENSORS) <= set(prompt.tensors)


def test_it_knows_where_in_the_clip_the_exemplars_of_a_prompt_stand(vocoded, prompt):
    exemplars, frames = prompt.tensors["exemplars"], prompt.tensors["natural_frames"]
    assert len(frames) == len(exemplars) > 500
    own, held = ClipAnalysis.of(vocoded).log_envelope, envelope_of(exemplars.astype(np.float32))
    here, beside = (np.abs(own[frames + shift] - held)[:, : N_MELS // 2].mean() for shift in (0, 2))
    assert here < beside / 2


def test_neighbors_of_an_example_are_those_of_its_unbroken_stretch():
    rows = np.random.default_rng(0).standard_normal((40, N_CEPSTRA)).astype(np.float32)
    frames = np.concatenate([np.arange(0, 40, 2), np.arange(100, 140, 2)])
    dense = NaturalExamples.of(rows, frames, N_MELS)
    center = dense.features[:, 2 * 16 : 3 * 16]
    later = dense.features[:, 4 * 16 :]
    assert np.allclose(later[:17] / later[0, 1], center[3:20] / center[3, 1], atol=1e-4)
    assert np.allclose(later[17:20] / later[0, 1], center[17:20] / center[3, 1], atol=1e-4)  # beyond the stretch, the frame itself


def test_streamed_equals_whole_whatever_the_blocks(heard, source, tensors):
    whole = said(source, tensors, first_block_seconds=2.0, block_seconds=2.0)
    for first, later in ((0.05, 0.05), (0.33, 0.13)):
        streamed = said(source, tensors, first_block_seconds=first, block_seconds=later)
        assert len(streamed) == len(whole)
        assert np.abs(streamed - whole).max() <= 1e-5


def test_the_seed_draws_the_noise_and_nothing_else_does(heard, source, tensors):
    once, again, other = (said(source, tensors, "Why? It could!", seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(once, again)
    assert len(other) == len(once)
    assert not np.array_equal(other, once)


def test_speed_changes_the_length_and_not_the_pitch(heard, tensors):
    model, voice, pool = NaturalModel.of(tensors), NaturalVoice(), NaturalPool.load()
    text = "The lazy dog of the house barks at noon."
    frames = {}
    for speed in (0.25, 0.7, 1.0, 4.0):
        conversion = NaturalMapping(text, NaturalParams(model, voice, pool, speed, 0.0), end_pause=False)
        frames[speed] = conversion.frames(0, 10**6)
    for speed, changed in frames.items():
        assert len(changed) * speed == pytest.approx(len(frames[1.0]), rel=0.25)
        medians = [np.median(one.f0[one.f0 > 0]) for one in (changed, frames[1.0])]
        assert medians[0] == pytest.approx(medians[1], rel=0.01)


def test_the_pitch_is_the_speakers_and_moves_by_semitones(heard, source, tensors):
    model = NaturalModel.of(tensors)
    wanted = np.exp((np.log(200) - model.source_log_f0) * model.liveliness + model.log_f0)
    text = "The lazy dog barks."
    assert median_f0(said(source, tensors, text)) == pytest.approx(wanted, rel=0.02)
    assert median_f0(said(source, tensors, text, pitch_semitones=-12.0)) == pytest.approx(wanted / 2, rel=0.02)


def test_only_the_first_clause_is_awaited(heard, source, tensors):
    stream = source.stream(TEXT, tensors, SynthesisParams(ENGLISH))
    next(stream)
    assert heard[-1] == "Well then,"
    list(stream)
    assert heard[-3:] == ["the lazy dog of the house barks at noon.", "Why?", "It could!"]


def test_it_speaks_english_that_it_can_read_as_who_was_learned_for_it(heard, source, tensors):
    assert source.speaks("auto", TEXT, ENGLISH, tensors)
    assert source.speaks("natural", TEXT, ENGLISH, tensors)
    assert not source.speaks("espeak", TEXT, ENGLISH, tensors)
    others = [("Guten Tag.", "de", tensors), (TEXT, "en-gb", tensors), (TEXT, "en", {"head": np.zeros(1)}), ("Say Привет.", "en", tensors)]
    for text, code, known in others:
        assert not source.speaks("auto", text, language_of(text, code), known)
        with pytest.raises(OptionInvalid):
            source.speaks("natural", text, language_of(text, code), known)


def test_who_is_far_from_its_voice_is_spoken_by_it_only_on_request(heard, source, tensors):
    far = tensors | {"natural_voice": np.concatenate([[0.8], tensors["natural_voice"][1:]])}
    assert not source.speaks("auto", TEXT, ENGLISH, far)
    assert source.speaks("natural", TEXT, ENGLISH, far)


def test_without_the_package_espeak_speaks(monkeypatch, tensors):
    monkeypatch.setattr("engines.espeak.natural.natural_source.is_here", lambda: False)
    source = NaturalSource()
    assert not source.speaks("auto", TEXT, ENGLISH, tensors)
    with pytest.raises(OptionInvalid, match="not installed"):
        source.speaks("natural", TEXT, ENGLISH, tensors)


def test_no_sentence_looks_for_the_package_on_the_disk(monkeypatch, tensors):
    looks = []
    monkeypatch.setattr("engines.espeak.natural.natural_source.is_here", lambda: looks.append(1) is None)
    source = NaturalSource()
    for text in ("One.", "Two.", "Three."):
        source.speaks("auto", text, ENGLISH, tensors)
    assert len(looks) == 1


def test_letters_and_words_that_it_would_drop_are_known():
    assert is_readable("Zoë paid 3.5 € for a naïve crème brûlée – “twice”!")
    assert not is_readable("He said привет and left the room quickly.")
    assert not is_readable("x" * 30)


def test_the_engine_speaks_by_it_where_its_options_say_so(heard, monkeypatch, engine, source, tensors):
    monkeypatch.setattr(engine, "_natural", source)  # of an engine that was opened with the package
    prompt = engine.make_prompt("digest", tensors)
    options = resolve_options(PACKAGE.info.options, {"seed": 5})
    delivery = SynthesisParams(ENGLISH, seed=5, first_block_seconds=options["first_block_seconds"], block_seconds=options["block_seconds"])
    assert np.array_equal(
        np.concatenate(list(engine.stream(TEXT, prompt, options))), np.concatenate(list(source.stream(TEXT, tensors, delivery)))
    )


def test_what_fails_in_the_package_is_the_engines_error(heard, monkeypatch, tensors):
    source = NaturalSource()
    with pytest.raises(EngineFailed, match="no such table"):
        said(source, tensors, "This breaks.")
    with pytest.raises(TextUnspeakable):
        said(source, tensors, "silence")
    monkeypatch.setattr(sys.modules["hibari"], "dsp", SimpleNamespace(SR=16_000))
    with pytest.raises(EngineUnavailable, match="16000 Hz"):
        NaturalVoice()


def test_the_real_package_speaks_as_the_speaker(tensors):
    pytest.importorskip("hibari", reason="hibari-tts is not installed (make natural)")
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed (make natural)")
    source = NaturalSource()
    whole = said(source, tensors, "The lazy dog barks at 3.5 cats.", first_block_seconds=2.0, block_seconds=2.0)
    assert np.array_equal(said(source, tensors, "The lazy dog barks at 3.5 cats.", first_block_seconds=2.0, block_seconds=2.0), whole)
    assert 1.5 < len(whole) / SAMPLE_RATE < 5
    model = NaturalModel.of(tensors)
    assert abs(np.log(median_f0(whole)) - model.log_f0) < 0.2
