"""A text that comes while it is spoken: in whatever pieces it comes, the same is said as of the whole, and who waits for it waits alone."""

from collections.abc import Iterator

import numpy as np
import pytest

from engines.contract.options import resolve_options
from engines.contract.speech_end import ENDED, SpeechEnd
from engines.contract.text_feed import TextFeed
from engines.errors import TextUnspeakable
from engines.kit.tokenizers.byte_pair_tokenizer import settled_length
from engines.qwen3_tts.engine import Qwen3TtsEngine
from tests.engines.qwen3_tts.checkpoints.opened import FRAMES, LONG, learned, opened, reference, tiny

TOLERANCE = 1e-5
BY_EMBEDDING = {"x_vector_only_mode": True}


def along(engine: Qwen3TtsEngine, feed: TextFeed, **given) -> Iterator[np.ndarray]:
    return engine.stream_along(feed, learned(), resolve_options(engine.info.options, {"max_new_tokens": FRAMES + 1} | given))


def fed(engine: Qwen3TtsEngine, pieces: list[str], **given) -> tuple[np.ndarray, SpeechEnd, list[bool]]:
    """(all samples, how it ended, whether sound came before each piece). A piece comes when the stream has no more to read."""
    feed, heard, before = TextFeed(), [], []
    stream = along(engine, feed, **given)
    pieces = list(pieces)
    while True:
        try:
            heard.append(next(stream))
        except StopIteration as end:
            return np.concatenate(heard), end.value, before
        if feed.is_starved:
            before.append(any(map(len, heard)))
            if pieces:
                feed.add(pieces.pop(0))
            if not pieces:
                feed.end()


def cut(text: str, *places: int) -> list[str]:
    return [text[start:end] for start, end in zip((0, *places), (*places, len(text)), strict=True)]


@pytest.mark.parametrize("fixed_shapes", [False, True])
@pytest.mark.parametrize(
    ("pieces", "given"),
    [
        (cut(LONG, 1, 3, 5, 12, 13, 14, 30, 31, 50), BY_EMBEDDING | {"seed": 3}),
        ([LONG], BY_EMBEDDING),
        (list(LONG), {"temperature": 0.0}),
        (cut(LONG, 20, 60, 90), {}),
        (cut(LONG, 40), {"non_streaming_mode": True}),
        (["  the", " voice "], BY_EMBEDDING | {"max_new_tokens": 12}),
        (["the voice"], {"seed": 5, "max_new_tokens": 12}),
    ],
)
def test_in_pieces_it_is_the_speech_of_the_whole(pieces, given, fixed_shapes):
    samples, end, _ = fed(opened(fixed_shapes=fixed_shapes), pieces, **given)
    whole = reference("".join(pieces), fixed_shapes=fixed_shapes, **given)
    assert len(samples) == len(whole)
    assert np.abs(samples - whole).max() <= TOLERANCE
    assert end.reason in ("ended", "capped")


def test_a_voice_by_its_embedding_is_heard_from_the_first_words_and_waits_for_each_of_the_others():
    words = [word + " " for word in LONG.split()]
    _, _, before = fed(opened(), words, **BY_EMBEDDING)
    assert before[:2] == [False, True], "a blank has ended the first word"
    assert len(before) > 4


def test_the_end_of_the_text_is_that_of_the_speech_and_none_is_an_error():
    _, end, _ = fed(opened(), ["the ", "voice"], **BY_EMBEDDING | {"max_new_tokens": 60})
    assert end == ENDED
    with pytest.raises(TextUnspeakable, match="nothing to say"):
        fed(opened(), ["  "], **BY_EMBEDDING)


@pytest.mark.parametrize("fixed_shapes", [False, True])
def test_who_waits_for_text_keeps_nobody_waiting_and_comes_back_as_it_was(fixed_shapes):
    """Two streams in one row: the one that waits is set aside, and its text grows while it is."""
    engine, feed = opened(fixed_shapes=fixed_shapes, width=1), TextFeed()
    waiting = along(engine, feed, **BY_EMBEDDING)
    feed.add("the sentence and")
    heard = []
    while not feed.is_starved:
        heard.append(next(waiting))
    beside = list(engine.stream(LONG, learned(), resolve_options(engine.info.options, {"max_new_tokens": FRAMES + 1})))
    assert np.abs(np.concatenate(beside) - reference(fixed_shapes=fixed_shapes)).max() <= TOLERANCE
    feed.add(LONG.removeprefix("the sentence and"))
    feed.end()
    whole = reference(fixed_shapes=fixed_shapes, **BY_EMBEDDING)
    assert np.abs(np.concatenate(heard + list(waiting)) - whole).max() <= TOLERANCE


def test_a_stream_that_is_dropped_while_it_waits_leaves_its_row():
    engine, feed = opened(), TextFeed()
    stream = along(engine, feed, **BY_EMBEDDING)
    feed.add("the sentence and")
    while not feed.is_starved:
        next(stream)
    stream.close()
    assert engine._batched_decoder._slots.seated == ()


TEXTS = [
    'It works, doesn\'t it?  Yes!\n\nThree 3.50 €, 12:30 -- "quoted" text... end ',
    "今天天气很好，我们去公园吧。明天呢？Hello world。",
    "naïve cafe\u0301 re\u0301sume\u0301 , e\u0301 don't're 'tis <|im_end|> a\r\n b",
]


@pytest.mark.parametrize("text", TEXTS)
def test_the_ids_of_what_is_settled_begin_those_of_the_whole(text):
    tokenizer = tiny().tokenizer
    whole = tokenizer.piece(text)
    for end in range(len(text)):
        ids = tokenizer.piece(text[: settled_length(text[:end])])
        assert ids == whole[: len(ids)], repr(text[:end])
