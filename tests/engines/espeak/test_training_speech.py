"""Claims about the speech that the prior learns from: what is read, and that a recording and eSpeak's speech lie frame beside frame."""

import shutil
import sys
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from engines.clips.clip import Clip
from engines.errors import EngineUnavailable
from engines.espeak.prior.prior import N_OUTPUTS
from engines.espeak.training import corpus
from engines.espeak.training.aligned.time_map import time_map
from engines.espeak.training.voices import flite_voice, hibari_voice
from engines.espeak.training.voices.festvox_voice import FOLDER, festvox_voice, readable
from engines.espeak.training.voices.texts import SENTENCES
from engines.espeak.training.voices.training_voice import TrainingVoice
from engines.kit.phonemes import espeak_library
from engines.kit.signal.spectrum import SAMPLE_RATE

TEXTS = ("The young painter chose a warm, bright colour.", "Five ships sailed north.", "Where is my other glove?")


@pytest.fixture(scope="module")
def slow() -> TrainingVoice:
    """eSpeak itself, two tenths slower, as if it were another."""

    def read():
        for text in TEXTS:
            yield text, Clip(espeak_library.speak(text, "en-us").samples, round(SAMPLE_RATE / 1.2))

    return TrainingVoice("slow", "en", False, read)


@pytest.fixture(scope="module")
def built(slow):
    return corpus.build_voice(slow, None)


def test_utterances_have_the_shapes_and_the_time_of_the_recording(built):
    utterances, names = built
    for utterance in utterances:
        n_frames = len(utterance.f0)
        assert utterance.cepstra.shape == (n_frames, 20) and utterance.phones.shape == (n_frames, 3)
        assert utterance.targets.shape == (n_frames, N_OUTPUTS) and utterance.targets.dtype == np.float32
        assert utterance.speech[0] and utterance.speech[-1] and utterance.source_f0.shape == utterance.position.shape == (n_frames,)
        assert utterance.phones.min() >= 1 and utterance.phones.max() <= len(names)


def test_a_slower_reading_of_the_same_is_followed_through_its_phones(built, slow):
    utterances, names = built
    for utterance in utterances:
        speech = espeak_library.speak(utterance.text, "en-us")
        said = [name for _, name in speech.phones if name != "_"]
        numbers = utterance.phones[:, 0][utterance.phones[:, 0] != names.index("_") + 1]
        heard = [names[number - 1] for number in numbers[np.insert(np.diff(numbers) != 0, 0, True)]]
        assert heard == [name for k, name in enumerate(said) if k == 0 or name != said[k - 1]]


def test_the_same_packages_give_the_same_bits(built, slow):
    again, names = corpus.build_voice(slow, None)
    assert names == built[1]
    assert all(np.array_equal(a.targets, b.targets) and np.array_equal(a.cepstra, b.cepstra) for a, b in zip(again, built[0], strict=True))


def test_a_corpus_on_disk_is_the_one_that_was_built_under_one_numbering(built, tmp_path):
    utterances, names = built
    other = [replace(utterance, voice="other") for utterance in utterances]
    np.savez(tmp_path / "slow.npz", **corpus._packed(utterances, names))
    np.savez(tmp_path / "other.npz", **corpus._packed(other, ("!", *names[1:])))
    loaded = corpus.Corpus.load(tmp_path, ("slow", "other"))
    assert sorted(loaded.number_of.values()) == list(range(1, len(names) + 2))
    name_of = {number: name for name, number in loaded.number_of.items()}
    for stored, utterance in zip(loaded.utterances, utterances, strict=False):
        assert stored.text == utterance.text and np.array_equal(stored.targets, utterance.targets)
        assert [name_of[number] for number in stored.phones[:, 0]] == [names[number - 1] for number in utterance.phones[:, 0]]


def test_the_time_map_is_smooth_through_speech_and_straight_through_pauses():
    rows = np.repeat(np.arange(0, 80, 2), 2).astype(float)  # steps: 0 0 2 2 4 4
    frames = np.concatenate([np.arange(40), np.arange(60, 100)])
    spoken = np.concatenate([np.arange(40), np.arange(70, 110)])
    at = time_map(rows, frames, spoken)
    assert len(at) == 100 and (np.diff(at) >= 0).all()
    assert np.diff(at[:36]).max() < 1.3 and np.allclose(np.diff(at[39:61]), np.diff(at[39:61])[0])
    assert at[39] < 40 and at[60] >= 70


def test_russian_lines_lose_their_marks_and_keep_their_pauses():
    assert readable("Глаз+а, - серые: - да. - Аиу, - сказал он.") == "Глаза, серые, да. Аиу, сказал он."
    assert readable("кто-то зовёт") == "кто-то зовёт"


def test_no_sentence_is_read_twice():
    assert len(set(SENTENCES)) == len(SENTENCES) >= 400
    assert all(3 < len(sentence.split()) < 17 for sentence in SENTENCES)


def test_a_missing_package_is_named_with_the_command(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "hibari", None)
    for voice, command in (
        (festvox_voice(tmp_path / "absent"), "apt-get install festvox-ru"),
        (flite_voice.flite_voice("slt"), "apt-get install flite"),
        (hibari_voice.hibari_voice(), "requirements-prior.txt"),
    ):
        with pytest.raises(EngineUnavailable) as caught:
            next(voice.read())
        assert command in str(caught.value.hint)


@pytest.mark.skipif(not FOLDER.is_dir(), reason="Debian's festvox-ru is not installed")
def test_the_russian_reader_has_a_recording_for_each_text():
    text, clip = next(festvox_voice().read())
    assert "+" not in text and 3 < clip.seconds < 13


@pytest.mark.skipif(shutil.which("flite") is None, reason="Debian's flite is not installed")
def test_flite_reads_a_sentence():
    assert flite_voice.read_aloud("slt", "Five ships sailed north.").seconds > 1


@pytest.mark.skipif(find_spec("hibari") is None, reason="PyPI's hibari-tts is not installed")
def test_hibari_reads_the_same_twice():
    (_, once), (_, again) = (next(hibari_voice.hibari_voice().read()) for _ in range(2))
    assert once.sample_rate == 24_000 and once.digest == again.digest
