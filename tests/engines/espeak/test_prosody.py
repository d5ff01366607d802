"""The prosody: what the trained module computes, the same for a speech cut short, fitted to how recordings are timed."""

import numpy as np
import pytest
import torch

from engines.espeak.prior.prior import AHEAD_PHONES, N_FACTS, Prosody, feature_rows, phone_facts
from engines.espeak.training import prosody_fitting
from engines.espeak.training.aligned.aligned_utterance import AlignedUtterance
from engines.espeak.training.aligned.phone_utterance import phone_utterances
from engines.espeak.training.prosody_fitting import ProsodyNetwork, fit_prosody
from engines.kit.phonemes import espeak_library
from engines.kit.signal.spectrum import HOP_SAMPLES

TEXT = "The ships had left the harbour, but nobody knew why. Was it the storm?"


@pytest.fixture(scope="module")
def network() -> ProsodyNetwork:
    torch.manual_seed(0)
    return ProsodyNetwork().eval()


@pytest.fixture(scope="module")
def tensors(network: ProsodyNetwork) -> dict[str, np.ndarray]:
    return prosody_fitting._tensors_of(network, 1.0)


def _slow_vowels() -> AlignedUtterance:
    """A recording of the text whose stressed phones last twice as long as eSpeak's, with a pitch that rises throughout."""
    speech = espeak_library.speak(TEXT, "en-us")
    starts = np.array([start for start, _ in speech.phones] + [len(speech.samples)]) / HOP_SAMPLES
    slow = np.cumsum(np.concatenate([[starts[0]], np.diff(starts) * (1 + (np.array(speech.stresses) == 2))]))
    n_frames = int(slow[-1])
    at = np.interp(np.arange(n_frames), slow, starts).astype(np.float32)
    nothing = np.zeros((n_frames, 1), np.float32)
    return AlignedUtterance(
        voice="slow", language="en", natural=True, text=TEXT, cost=0.0, at=at, cepstra=nothing, source_f0=nothing[:, 0],
        position=nothing[:, 0], phones=np.zeros((n_frames, 3), np.int32), targets=nothing, speech=np.ones(n_frames, bool),
        f0=np.geomspace(100, 200, n_frames, dtype=np.float32),
    )  # fmt: skip


def test_it_is_the_trained_network(network, tensors):
    speech = espeak_library.speak(TEXT, "en-us")
    features, facts = feature_rows(tuple(name for _, name in speech.phones)), phone_facts(speech)
    assert facts.shape == (len(speech.phones), N_FACTS)
    with torch.no_grad():
        wanted = network(torch.from_numpy(features)[None], torch.from_numpy(facts)[None], torch.ones(1, len(facts)))[0].numpy()
    prosody = Prosody.predicted(speech, tensors)
    np.testing.assert_allclose(prosody.log_ratio, wanted[:, 0], atol=1e-5)
    np.testing.assert_allclose(prosody.pitch, wanted[:, 1:], atol=1e-5)


@pytest.mark.parametrize("most_samples", [6_000, 14_000, 30_000, 50_000])
def test_of_a_speech_cut_short_it_tells_what_it_tells_of_the_whole_to_the_bit(tensors, most_samples):
    whole, cut = espeak_library.speak(TEXT, "en-us"), espeak_library.speak(TEXT, "en-us", most_samples=most_samples)
    assert not cut.complete
    all_of_it, known = Prosody.predicted(whole, tensors), Prosody.predicted(cut, tensors)
    n_phones = len(known.log_ratio)
    assert n_phones == max(0, len(cut.phones) - 1 - AHEAD_PHONES)
    assert np.array_equal(phone_facts(cut), phone_facts(whole)[: len(cut.phones) - 1])
    assert np.array_equal(known.log_ratio, all_of_it.log_ratio[:n_phones]) and np.array_equal(known.pitch, all_of_it.pitch[:n_phones])


def test_facts_tell_stress_marks_and_words():
    asked, told = (phone_facts(espeak_library.speak(text, "en-us")) for text in ("Anna, can he go?", "Anna, can he go."))
    assert asked[:, 1].any() and (asked[0, 5], asked[-2, 7], told[-2, 6]) == (1, 1, 1) and not told[:, 7].any()


def test_phones_of_a_recording_have_the_lengths_and_the_pitch_that_it_has():
    (phones,) = phone_utterances([_slow_vowels()])
    stressed = phones.facts[:, 1] == 1
    counted = (phones.timed > 0) & phones.sounding
    apart = phones.log_ratio[counted & stressed].mean() - phones.log_ratio[counted & ~stressed].mean()
    assert apart == pytest.approx(np.log(2), abs=0.1) and phones.log_ratio[counted].mean() == pytest.approx(0, abs=1e-4)
    assert (np.diff(phones.pitch[counted].ravel()) > -0.05).all()


def test_fitting_again_gives_the_same_bits_and_learns_what_is_long(monkeypatch):
    monkeypatch.setattr(prosody_fitting, "_STEPS", 60)
    monkeypatch.setattr(prosody_fitting, "_BATCH", 2)
    utterances = [_slow_vowels()]
    first, again = fit_prosody(utterances), fit_prosody(utterances)
    assert all(np.array_equal(tensor, again[name]) for name, tensor in first.items())
    speech = espeak_library.speak(TEXT, "en-us")
    ratio, stressed = Prosody.predicted(speech, first).log_ratio, np.array(speech.stresses) == 2
    assert ratio[stressed].mean() > ratio[~stressed].mean() + 0.3
