"""Editing: which checkpoint can, what the model is asked, what it hears of a recording, how long that may become, and beside whom."""

from collections.abc import Generator, Sequence

import numpy as np
import pytest

from engines.catalog import engine_info
from engines.clips.clip import Clip
from engines.contract.editing import EditOperation, RecordingEdit, checked_edit
from engines.contract.options import resolve_options
from engines.contract.speech_end import SpeechEnd
from engines.dots import PACKAGE
from engines.dots.batched_decoder import DotsRows
from engines.dots.editing.edit_kinds import EDIT_KINDS
from engines.dots.editing.edit_limit import edit_limit
from engines.dots.editing.instruction import edit_ids, follows_speaker, tagged_instruction
from engines.dots.editing.source import source_samples
from engines.dots.engine import DotsEngine
from engines.errors import ClipUnusable, EditInvalid, EditUnsupported, PromptInvalid, TextUnspeakable
from tests.engines.advanced_together import advanced_together
from tests.engines.clips.made_clip import made_clip
from tests.engines.dots.opened import PATCH, PATCHES, TEXT, learned, opened, say, spoken, tiny, tiny_folder
from tests.engines.replay import ReplayedGraphs

WORDS = "The voice and then the world"
REPLACE, SAD = EditOperation("replace", 4, 9, "sentence"), EditOperation("emotion", 4, 9, values={"type": "sad"})
CLIP, TOLERANCE = made_clip(1.1), 2e-5
QUICK = {"num_steps": 2}


def change(*operations: EditOperation, words: str = WORDS) -> RecordingEdit:
    return checked_edit("", EDIT_KINDS, words, operations)


def edited(
    engine: DotsEngine, *operations: EditOperation, clip: Clip = CLIP, voice: int = 0, words: str = WORDS, **given
) -> Generator[np.ndarray, None, SpeechEnd | None]:
    """A stream."""
    options = resolve_options(engine.info.options, QUICK | given)
    return engine.edit(clip, change(*operations, words=words), learned(voice), options)


def whole(stream: Generator[np.ndarray, None, SpeechEnd | None]) -> np.ndarray:
    return np.concatenate(list(stream))


# --- which checkpoint can


def test_only_the_checkpoint_that_was_trained_for_it_changes_recordings():
    """Which its tensors say, before it is opened as well; what another one is asked for is refused by a code."""
    assert opened("edit").info.edits == engine_info("dots", str(tiny_folder("edit"))).edits == EDIT_KINDS
    assert opened("soar").info.edits == engine_info("dots", str(tiny_folder("soar"))).edits == PACKAGE.info.edits == ()
    assert engine_info("dots", "dots-studio/dots.tts.edit").edits == EDIT_KINDS
    with pytest.raises(EditUnsupported):
        whole(edited(opened("soar"), REPLACE))


# --- what the model is asked


@pytest.mark.parametrize(
    ("operation", "instruction"),
    [
        (EditOperation("remove", 10, 13), "The voice <del>and</del> then the world"),
        (EditOperation("insert", 28, 28, " & more "), "The voice and then the world<ins>&amp; more</ins>"),
        (SAD, 'The <emo type="sad" level="2">voice</emo> and then the world'),
        (
            EditOperation("emotion", 0, 3, values={"description": 'a "cold" voice'}),
            '<emo desc="a &quot;cold&quot; voice">The</emo> voice and then the world',
        ),
        (EditOperation("pace", 4, 9, values={"factor": 1.1}), "The <rate, factor=1.1>voice</rate> and then the world"),
        (EditOperation("pace", 4, 9, values={"factor": 0.754}), "The <rate, factor=0.75>voice</rate> and then the world"),
        (EditOperation("pause", 9, 9), 'The voice<pause act="ins" level="2"/> and then the world'),
        (EditOperation("background", 3, 3), "<bg>The voice and then the world</bg>"),
    ],
)
def test_changes_become_the_makers_tags(operation, instruction):
    assert tagged_instruction(change(operation)) == instruction


@pytest.mark.parametrize(
    ("operations", "sentence"),
    [
        ([EditOperation("pace", 4, 9, values={"factor": 1.002})], "edit_values_idle"),
        ([EditOperation("emotion", 4, 9)], "edit_values_idle"),
        ([EditOperation("emotion", 4, 9, values={"type": "sad", "description": "low"})], "edit_values_two"),
        ([EditOperation("remove", 0, len(WORDS))], "edit_nothing_left"),
    ],
)
def test_what_would_change_nothing_or_leave_nothing_is_refused(operations, sentence):
    with pytest.raises(EditInvalid) as refused:
        whole(edited(opened("edit"), *operations))
    assert refused.value.values["sentence"] == sentence


@pytest.mark.parametrize("operation", [EditOperation("remove", 0, 3), EditOperation("insert", 3, 3, "<|audio_gen_span|>")])
def test_words_with_a_mark_of_audio_are_refused(operation):
    words = "The <|audio_gen_end|> voice" if operation.kind == "remove" else WORDS
    with pytest.raises(TextUnspeakable, match=r"audio_gen.* is a command to the model"):
        whole(edited(opened("edit"), operation, words=words))


def test_the_language_tags_both_texts_and_is_not_said_twice():
    vocabulary = tiny("edit").vocabulary
    tag, plain = vocabulary.piece("[EN]The"), vocabulary.piece("The")
    before, between = edit_ids(change(REPLACE), "en", vocabulary)
    for ids, others in zip((before, between), edit_ids(change(REPLACE), None, vocabulary), strict=True):
        assert len(ids) - len(others) == len(tag) - len(plain)


def test_who_speaks_is_told_unless_sound_alone_is_changed():
    assert [follows_speaker(change(*some)) for some in ([REPLACE], [SAD], [SAD, EditOperation("denoise", 0, 0)])] == [True, False, False]
    assert follows_speaker(change(EditOperation("remove", 0, 3), SAD))
    engine = opened("edit")
    one, other = (whole(edited(engine, REPLACE, voice=voice, max_patches=2)) for voice in (0, 1))
    assert not np.array_equal(one, other)
    one, other = (whole(edited(engine, SAD, voice=voice, max_patches=2)) for voice in (0, 1))
    assert np.array_equal(one, other)


# --- what it hears


@pytest.mark.parametrize(("before", "after"), [(0, 0), (30_000, 500), (500, 30_000)])
def test_a_recording_is_heard_with_a_quarter_of_a_second_of_silence_at_its_ends(before, after):
    speech = np.full(20_000, 0.5, np.float32)
    faint = 0.01  # 34 dB below
    clip = Clip(np.concatenate([np.full(before, faint, np.float32), speech, np.full(after, faint, np.float32)]), 48_000)
    samples = source_samples(clip, tiny("edit"))[0].numpy()
    loud = np.flatnonzero(samples == 0.5)
    assert (loud[0], len(loud), len(samples)) == (12_000, 20_000, 6 * PATCH)
    assert (samples[12_000 - min(before, 12_000) : 12_000] == np.float32(faint)).all()
    assert not samples[: 12_000 - min(before, 12_000)].any()
    assert not samples[loud[-1] + 1 + min(after, 12_000) :].any()


def test_the_recording_the_words_and_the_seed_are_heard():
    engine, clip = opened("edit"), made_clip(1.1, pitch_hz=190, seed=4)
    plain = whole(edited(engine, REPLACE, max_patches=2))
    for other in (
        edited(engine, REPLACE, clip=clip, max_patches=2),
        edited(engine, EditOperation("replace", 4, 9, "story"), max_patches=2),
        edited(engine, REPLACE, max_patches=2, seed=1),
    ):
        assert not np.array_equal(whole(other), plain)
    assert np.array_equal(whole(edited(engine, REPLACE, max_patches=2, mode="continuation")), plain)


def test_nothing_is_computed_before_the_first_chunk_is_asked_for_and_closing_frees_the_row():
    engine = opened("edit")
    stream = edited(engine, REPLACE)
    assert engine._batched_decoder._slots.seated == ()
    next(stream)
    stream.close()
    assert engine._batched_decoder._slots.seated == ()


def test_prompts_of_others_and_recordings_without_sound_are_refused():
    engine, options = opened("edit"), resolve_options(opened("edit").info.options, {})
    with pytest.raises(ClipUnusable, match="We hear nothing in this recording"):
        whole(edited(engine, REPLACE, clip=Clip(np.zeros(48_000, np.float32), 24_000)))
    broken = engine.make_prompt("clip", {**learned().tensors, "x_vector": np.zeros(25, np.float32)})
    with pytest.raises(PromptInvalid):
        whole(engine.edit(CLIP, change(REPLACE), broken, options))


# --- how long it may become


def test_an_edit_ends_where_the_model_says_so_and_where_it_was_asked_to():
    words, operation = "the voice and then", EditOperation("replace", 4, 9, "cat")
    lengths = [len(whole(edited(opened("edit"), operation, words=words, max_patches=most))) / PATCH for most in (256, 3)]
    assert lengths == [PATCHES, 3]


def test_it_may_take_what_its_words_take_at_the_recordings_own_pace_and_twice_that():
    options = resolve_options(opened("edit").info.options, {})
    free = resolve_options(opened("edit").info.options, {"runaway_guard": False})

    def most(n_source: int, *operations: EditOperation, given=options) -> tuple[int, str]:
        limit = edit_limit(change(*operations), n_source, 256 - n_source, given, 6.25)
        return limit.frames, limit.cut.reason

    slow, pause = most(75, SAD), most(75, EditOperation("pause", 9, 9))
    assert slow == (163, "capped")  # 24 s for 12, and 2 s
    assert pause[0] - slow[0] in (6, 7)
    assert most(75, EditOperation("insert", 3, 3, "big and wide"))[0] > slow[0]
    assert most(75, SAD, given=free) == (181, "no_room")
    with pytest.raises(EditInvalid, match=r"20\.8 s would become one of about 20\.8 s; the limit for both together is 41\.0 s") as refused:
        most(130, SAD)
    assert refused.value.values["sentence"] == "edit_too_long"


def test_a_recording_that_fills_the_row_is_refused_before_the_first_patch():
    long = Clip(np.concatenate([made_clip(2.0).samples] * 11), made_clip(2.0).sample_rate)
    engine = opened("edit")
    with pytest.raises(EditInvalid, match="the limit"):
        next(edited(engine, SAD, clip=long))
    assert engine._batched_decoder._slots.seated == ()


# --- beside whom


def streams(engine: DotsEngine) -> list[Generator[np.ndarray, None, SpeechEnd | None]]:
    """Two edits and two speeches, one of which goes on from a recording."""
    return [
        edited(engine, REPLACE, seed=3, max_patches=8),
        spoken(engine, TEXT, learned(1), mode="continuation", **QUICK),
        edited(engine, SAD, clip=made_clip(1.6, pitch_hz=190, seed=4), max_patches=6),
        spoken(engine, TEXT, learned(), num_steps=3, max_patches=7),
    ]


def alone(*, width: int = 1) -> Sequence[np.ndarray]:
    return [whole(streams(opened("edit", width=width))[index]) for index in range(4)]


def test_among_others_an_edit_is_bit_by_bit_what_it_is_alone():
    """Four streams in two rows: they come and go, take turns, and are set aside."""
    engine = opened("edit", width=2)
    together = advanced_together(engine, streams(engine), np.random.default_rng(0))
    for heard, expected in zip(together, alone(width=2), strict=True):
        assert np.array_equal(heard, expected)


def test_in_fixed_shapes_replayed_without_python_it_is_the_same_too(monkeypatch):
    for name, sizes in {"KEY_SIZES": (320,), "PATCH_SIZES": (64,), "ROW_SIZES": (64, 256)}.items():
        monkeypatch.setattr(DotsRows, name, sizes)
    graphs = ReplayedGraphs()
    engine = opened("edit", width=2, fixed_shapes=True, host_lag_frames=1, graphs=graphs)
    engine._batched_decoder.warm_up()
    together = advanced_together(engine, streams(engine), np.random.default_rng(7))
    for heard, expected in zip(together, alone(), strict=True):
        assert len(heard) == len(expected)
        assert np.abs(heard - expected).max() <= TOLERANCE
    assert graphs.replays > 3 * 8


def test_speech_of_the_same_checkpoint_is_as_before():
    assert len(say(opened("edit"), TEXT, learned(), **QUICK)) == PATCHES * PATCH
