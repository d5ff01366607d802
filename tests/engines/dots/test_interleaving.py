"""Text token by token: how tokens and patches alternate, and what a stream does while no more of its text has come."""

from collections.abc import Iterator

import numpy as np
import pytest

from engines.contract.options import resolve_options
from engines.contract.text_feed import TextFeed
from engines.dots.config import StreamingConfig
from engines.dots.interleaving import PATCH, DotsAlong, recording_ids
from engines.errors import TextUnspeakable
from tests.engines.advanced_together import advanced_together
from tests.engines.dots.opened import PATCH as PATCH_SAMPLES
from tests.engines.dots.opened import TEXT, learned, opened, say, spoken, tiny

PATTERNS = {"buffered_ratio": "abc* d* e* f* gh* i* j* kl* m* n* op*", "one_to_one": "a* b* c* d* e* f* g* h* i* j* k*"}
TOLERANCE = 2e-5


def streaming(mode: str) -> StreamingConfig:
    return StreamingConfig(mode)


@pytest.mark.parametrize("mode", PATTERNS)
def test_tokens_and_patches_alternate_as_the_pattern_says(mode):
    """A star for each patch (from section 7 of what is known of the release)."""
    letters, said = iter("abcdefghijklmnop"), []
    for patch in range(11):
        said.append("".join(next(letters) for _ in range(streaming(mode).quota(patch))) + "*")
    assert " ".join(said) == PATTERNS[mode]


def test_what_is_left_of_a_text_goes_with_the_mark_behind_it():
    vocabulary, feed = tiny("stts").vocabulary, TextFeed()
    along = DotsAlong(feed, vocabulary, streaming("buffered_ratio"))
    feed.add("abcd ")
    along.take()
    assert along.has_next(0) and len(along.read(0)) == 3
    assert along.has_next(1) and len(along.read(1)) == 1
    assert not along.has_next(2)
    feed.add("e")
    feed.end()
    along.take()
    left = []
    while not along.is_read:
        left.append(along.read(2 + len(left)))
    assert [token for ids in left for token in ids] == [*along.ids[4:], vocabulary.end_id]
    assert along.has_next(9) and along.read(9) == []


def test_a_recording_is_read_in_the_same_pattern_and_closed_before_the_text():
    vocabulary, pattern = tiny("stts").vocabulary, streaming("buffered_ratio")
    prefix, end, gen_end = vocabulary.along_prefix, vocabulary.end_id, vocabulary.gen_end_id
    before, behind = recording_ids([1, 2, 3, 4, 5], 3, vocabulary, pattern)
    assert before == [*prefix, 1, 2, 3, PATCH, 4, PATCH, 5]
    assert behind == [end, gen_end, *prefix]
    before, behind = recording_ids([1, 2, 3, 4, 5, 6, 7], 2, vocabulary, pattern)
    assert before == [*prefix, 1, 2, 3, PATCH, 4]
    assert behind == [5, gen_end, 6, 7, end, *prefix]


def test_speech_begins_with_silence_and_ends_behind_the_text():
    """Which these weights end it at."""
    engine = opened("stts")
    short, long = (say(engine, text, learned()) for text in ("The voice and", TEXT))
    assert 2 * PATCH_SAMPLES <= len(short) < len(long)
    assert np.array_equal(short[: PATCH_SAMPLES // 2], long[: PATCH_SAMPLES // 2])


@pytest.mark.parametrize("mode", ["voice", "continuation"])
def test_pieces_of_a_text_give_the_samples_of_the_whole_and_others_go_on(mode):
    """Also in fixed shapes, beside a stream whose text is whole."""
    engine = opened("stts", width=2)
    expected, beside = (say(opened("stts", width=2), TEXT, learned(voice), **given) for voice, given in ((0, {"mode": mode}), (1, {})))
    for other in (engine, *(opened("stts", width=2, fixed_shapes=True, host_lag_frames=lag) for lag in (0, 1))):
        heard = advanced_together(other, [fed(other, mode), spoken(other, TEXT, learned(1))], np.random.default_rng(1))
        assert len(heard[0]) == len(expected)
        assert np.abs(heard[0] - expected).max() <= TOLERANCE
        assert np.abs(heard[1] - beside).max() <= TOLERANCE


def test_no_more_is_said_than_was_asked_for():
    assert len(say(opened("stts"), TEXT, learned(), max_patches=3)) == 3 * PATCH_SAMPLES


def test_an_empty_text_is_refused_when_it_is_over():
    feed = TextFeed()
    stream = opened("stts").stream_along(feed, learned(), resolve_options(opened("stts").info.options, {}))
    assert not len(next(stream)) and feed.is_starved
    feed.end()
    with pytest.raises(TextUnspeakable, match="nothing to say"):
        next(stream)


def test_other_checkpoints_wait_for_the_whole():
    assert (opened("stts").info.reads_along, opened("mf").info.reads_along) == (True, False)


def fed(engine, mode: str) -> Iterator[np.ndarray]:
    """A stream whose text comes word by word, whenever it can do nothing without."""
    feed, words = TextFeed(), iter(TEXT.split(" "))
    for chunk in engine.stream_along(feed, learned(), resolve_options(engine.info.options, {"mode": mode})):
        yield chunk
        if feed.is_starved and (word := next(words, None)) is not None:
            feed.add(word if word == "The" else f" {word}")
        elif feed.is_starved:
            feed.end()
