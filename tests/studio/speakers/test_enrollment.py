"""The one enrollment rule: what it asks of a recording, and where the API's answer and the page's differ on purpose."""

import io
from dataclasses import fields

import numpy as np
import pytest
import soundfile

from engines.clips.clip import Clip
from engines.clips.clip_quality import measure_clip
from engines.errors import ClipUnusable, EmbeddingUnusable
from studio.errors import AudioTooLarge, ClipTooLong, ClipTooShort
from studio.settings import VLLM_OMNI_DIALECT
from studio.speakers.enrollment import (
    API_RULE,
    PAGE_RULE,
    EmbeddingMisfit,
    EmbeddingNotFinite,
    EmbeddingTooLong,
    api_rule,
    check_embedding,
)
from tests.ui.clips.clips import speech_like

RATE = 44_100
STRICT_API_RULE = api_rule(VLLM_OMNI_DIALECT)
RULES = (API_RULE, STRICT_API_RULE, PAGE_RULE)


def clip_of(samples: np.ndarray) -> Clip:
    return Clip(samples.astype(np.float32), RATE)


def refusal(rule, clip: Clip) -> str:
    """The code of what the rule says against a clip, or ""."""
    try:
        rule.check(clip)
    except ClipUnusable as error:
        assert error.fact and error.hint
        return error.code
    return ""


def noise(seconds: float) -> np.ndarray:
    return np.random.default_rng(0).uniform(-0.5, 0.5, round(seconds * RATE))


@pytest.mark.slow
def test_the_bounds_are_the_same_at_every_door_and_both_belong_to_it():
    speech = np.tile(speech_like(10.0, RATE), 4)
    for rule in RULES:
        found = [refusal(rule, clip_of(speech[: round(seconds * RATE)])) for seconds in (0.99, 1.0, 30.0, 30.01)]
        assert found == ["clip_too_short", "", "", "clip_too_long"], rule


def test_a_refusal_of_the_length_is_a_type_that_knows_its_numbers():
    with pytest.raises(ClipTooShort, match=r"Only 500 ms. 1 s are needed") as short:
        PAGE_RULE.check(clip_of(noise(0.5)))
    assert (short.value.seconds, short.value.least_seconds) == (0.5, 1.0)
    with pytest.raises(ClipTooLong, match=r"The recording has 40 s, and 30 s are the limit.") as long:
        PAGE_RULE.check(clip_of(noise(40.0)))
    assert (long.value.seconds, long.value.most_seconds) == (40.0, 30.0)


@pytest.mark.parametrize(
    ("samples", "api", "strict", "page"),
    [
        (np.zeros(4 * RATE), "clip_silent", "", "clip_no_speech"),
        (np.sin(np.arange(4 * RATE) * 0.03), "", "", "clip_no_speech"),
        (np.sign(speech_like(4.0, RATE) + 1e-9), "", "", "clip_clipped"),
        (speech_like(4.0, RATE), "", "", ""),
    ],
    ids=["silence", "a tone", "clipped speech", "speech"],
)
def test_programs_are_advised_about_what_people_are_kept_from(samples, api, strict, page):
    assert tuple(refusal(rule, clip_of(samples)) for rule in (API_RULE, STRICT_API_RULE, PAGE_RULE)) == (api, strict, page)


def test_four_things_keep_a_person_from_enrolling_and_each_is_said():
    for samples, code, words in (
        (speech_like(0.9, RATE), "clip_too_short", "1 s are needed"),
        (np.tile(speech_like(10.0, RATE), 4), "clip_too_long", "30 s are the limit"),
        (np.sign(speech_like(4.0, RATE) + 1e-9), "clip_clipped", "distorted"),
        (np.zeros(4 * RATE, np.float32), "clip_no_speech", "no speech"),
    ):
        with pytest.raises(ClipUnusable, match=words) as caught:
            PAGE_RULE.check(clip_of(samples))
        assert caught.value.code == code and caught.value.hint


def test_a_poor_clip_is_advised_about_and_not_kept_out():
    PAGE_RULE.check(clip_of(speech_like(4.0, RATE) * 0.002 + noise(4.0) * 0.0004))
    PAGE_RULE.check(clip_of(speech_like(1.2, RATE)))


def test_a_quality_that_was_measured_is_not_measured_again(monkeypatch):
    clip = clip_of(speech_like(2.0, RATE))
    quality = measure_clip(clip)
    monkeypatch.setattr("studio.speakers.enrollment.measure_clip", None)
    PAGE_RULE.check(clip, quality=quality)
    API_RULE.check(clip)


def test_the_doors_differ_in_size_silence_speech_clipping_and_labels_alone():
    """A further difference is a decision: it belongs into the rule's documentation, and here."""
    values = {field.name: {getattr(rule, field.name) for rule in RULES} for field in fields(API_RULE)}
    differing = {name for name, found in values.items() if len(found) > 1}
    assert differing == {"most_file_bytes", "wants_sound", "wants_speech", "most_clipping_percent", "file_types"}
    assert (API_RULE.most_file_bytes, PAGE_RULE.most_file_bytes) == (10_485_760, 25_000_000)


def test_a_file_is_refused_by_its_size_and_its_length_while_it_is_decoded():
    file = io.BytesIO()
    soundfile.write(file, np.zeros(31 * 8_000, np.int16), 8_000, format="WAV")
    for rule in RULES:
        with pytest.raises(ClipTooLong):
            rule.decode(file.getvalue())
        with pytest.raises(AudioTooLarge) as caught:
            rule.decode(bytes(rule.most_file_bytes + 1))
        assert caught.value.limit_bytes == rule.most_file_bytes


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ([], EmbeddingUnusable),
        ([[1.0, 2.0]], EmbeddingUnusable),
        ([0.0] * 4097, EmbeddingTooLong),
        ([1.0, np.nan], EmbeddingNotFinite),
        ([1e39], EmbeddingNotFinite),
        ([1.0] * 3, EmbeddingMisfit),
    ],
)
def test_a_speaker_embedding_is_a_row_of_numbers_that_some_engine_takes(values, error):
    with pytest.raises(error) as caught:
        check_embedding(np.array(values), {8, 4096})
    assert caught.value.code == "embedding_unusable" and caught.value.parameter == "speaker"


def test_a_speaker_embedding_of_a_known_width_becomes_a_read_only_copy():
    given = np.ones(8)
    taken = check_embedding(given, {8, 1024})
    assert taken.dtype == np.float32 and taken.tolist() == given.tolist() and not taken.flags.writeable
    assert len(check_embedding(np.ones(3))) == 3
