"""FishSpeechEngine: what a prompt holds, what a voice is kept as, how texts are spoken in pieces, and what is refused."""

import numpy as np
import pytest
import torch

from engines.clips.clip import Transcript
from engines.contract.options import resolve_options
from engines.contract.speech_end import ENDED
from engines.errors import OptionInvalid, PresetUnknown, PromptInvalid, TextUnspeakable, TranscriptMismatch, TranscriptRequired
from engines.fish_speech import PACKAGE
from engines.fish_speech import engine as fish_engine
from engines.fish_speech.batched_decoder import FishRows
from engines.fish_speech.engine import codes_of
from engines.fish_speech.input_sequence import FishInputSequence, SpokenPiece
from engines.kit.decode.frame_loop import speak
from tests.engines.clips.made_clip import made_clip
from tests.engines.fish_speech.opened import BOOKS, FRAME, FRAMES, TEXT, TWO, WORDS, joined, learned, opened, reference, say, spoken, tiny

TWO_PIECES = "The sentence and then the voice. " * 10


def heard_out(engine, text, prompt, **given):
    stream, parts = spoken(engine, text, prompt, **given), []
    while True:
        try:
            parts.append(next(stream))
        except StopIteration as end:
            return np.concatenate(parts), end.value


def test_a_prompt_holds_the_codes_of_the_recording():
    codes, frames = learned().tensors["codes"], learned().tensors["frames"]
    assert (codes.dtype, codes.shape[0], frames.dtype) == (np.int16, len(BOOKS), np.int64)
    assert frames.tolist() == [codes.shape[1]] == [-(-round(1.1 * 44_100) // FRAME)]
    assert all(book.min() >= 0 and book.max() < size and len(set(book.tolist())) > 3 for book, size in zip(codes, BOOKS, strict=True))
    assert learned().facts == {"seconds": 1.1, "recordings": 1, "frames": codes.shape[1]}


def test_several_recordings_are_encoded_one_by_one_and_read_with_their_words():
    first, second = made_clip(1.1), made_clip(0.7, pitch_hz=170, seed=1)
    engine = opened()
    both = engine.extract(joined(first, second), TWO)
    alone = [codes_of(one, tiny()) for one in (first, second)]
    assert np.array_equal(both.tensors["codes"], np.concatenate(alone, axis=1))
    assert both.tensors["frames"].tolist() == [one.shape[1] for one in alone]
    assert engine.counts.encoder_runs == 1
    other_way = engine.extract(joined(second, first), TWO)
    assert not np.array_equal(say(engine, TEXT, both), say(engine, TEXT, other_way))
    with pytest.raises(TranscriptMismatch, match="2"):
        engine.extract(joined(first, second), WORDS)
    with pytest.raises(TranscriptMismatch, match="im_end"):
        engine.extract(first, Transcript("and <|im_end|> then"))


def test_words_are_wanted_and_can_be_corrected_without_encoding_again():
    engine, clip = opened(), made_clip(1.1)
    with pytest.raises(TranscriptRequired, match="words") as refused:
        engine.extract(clip)
    assert "ref_text" in refused.value.hint
    with pytest.raises(TranscriptRequired):
        next(spoken(engine, TEXT, learned().with_transcript(None)))
    corrected = learned().with_transcript(Transcript("and then they", "en"))
    assert not np.array_equal(say(engine, TEXT, corrected), reference())
    assert np.array_equal(say(engine, TEXT, learned()), reference())
    assert (engine.counts.encoder_runs, engine.counts.prefix_reads) == (0, 2)


def test_the_encoder_is_warm_before_anybody_has_a_recording(monkeypatch):
    engine, encoded = opened(), []
    encode = engine._networks.encoder.encode
    monkeypatch.setattr(engine._networks.encoder, "encode", lambda samples: (encoded.append(samples.shape), encode(samples))[1])
    engine.warmup()
    assert [shape[0] for shape in encoded] == [1]
    assert engine.counts.encoder_runs == 0, "nobody's"


def test_a_prepared_voice_is_read_once():
    engine = opened()
    engine.prepare(learned())
    for seed in (0, 1):
        say(engine, TEXT, learned(), seed=seed)
    assert engine.counts.prefix_reads == 1
    engine.forget(learned().content_digest)
    say(engine, TWO_PIECES, learned())
    assert engine.counts.prefix_reads == 2, "once for all pieces"


def test_the_prompt_is_a_conversation_with_the_recording_in_its_first_turn():
    """Parts are tokenized apart; the recording's words are the first speaker's unless they say otherwise."""
    networks = tiny()
    slow, tokenizer = networks.slow, networks.tokenizer
    codes = torch.tensor(learned().tensors["codes"].T, dtype=torch.int64)
    im_start, im_end, ids = tokenizer.special("im_start"), tokenizer.special("im_end"), tokenizer.ids

    def text(*tokens: int) -> torch.Tensor:
        return slow.embed_text(torch.tensor([tokens]))

    asked = "convert the provided text to speech reference to the following:\n\nText:\n"
    head = [im_start, *ids("system\n"), *ids(asked), *ids("<|speaker:0|>and\n<|speaker:7|>then"), *ids("\n\nSpeech:\n")]
    tail = [im_end, *ids("\n"), im_start, *ids("user\n")]
    rows = FishInputSequence(slow, tokenizer)
    voice = rows.voice(["and", "<|speaker:7|>then"], codes)
    assert torch.equal(voice, torch.cat([text(*head), slow.embed_frames(codes[None]), text(*tail)], dim=1))
    marked = FishInputSequence(slow, tokenizer, codes_in_marks=True).voice(["and", "<|speaker:7|>then"], codes)
    assert marked.shape[1] == voice.shape[1] + 2
    answer = [im_end, *ids("\n"), im_start, *ids("assistant\n"), tokenizer.special("voice")]
    assert torch.equal(rows.text("the voice"), text(*ids("the voice"), *answer))
    before = rows.text("the voice", SpokenPiece("and then", codes))
    parts = [text(*ids("and then"), *answer), slow.embed_frames(codes[None]), text(*tail), text(*ids("the voice"), *answer)]
    assert torch.equal(before, torch.cat(parts, dim=1))
    nobody = [im_start, *ids("system\n"), *ids("convert the provided text to speech"), *tail]
    assert torch.equal(rows.voice([], codes[:0]), text(*nobody))


def test_a_row_of_a_frame_is_the_root_of_how_much_is_summed():
    slow, frame = tiny().slow, torch.tensor([[[3, *range(1, len(BOOKS))]]])
    book = len(slow.codebook_embeddings.weight) // len(BOOKS)
    first = tiny().config.semantic_start_token_id
    summed = slow.embeddings.weight[first + 3].float() + sum(
        slow.codebook_embeddings.weight[index * book + int(code)].float() for index, code in enumerate(frame.flatten())
    )
    assert torch.allclose(slow.embed_frames(frame)[0, 0], summed / (len(BOOKS) + 1) ** 0.5, atol=1e-6)


@pytest.mark.parametrize("rate", [8_000, 16_000, 44_101, 48_000])
def test_recordings_of_any_rate_are_encoded_at_the_codecs(rate):
    codes = codes_of(made_clip(0.5, sample_rate=rate), tiny())
    assert codes.shape == (len(BOOKS), -(-(-(-rate // 2) * 44_100 // rate) // FRAME))


def test_a_long_text_is_spoken_in_pieces_each_as_if_it_were_alone_or_behind_the_one_before():
    engine = opened()
    alone, end = heard_out(engine, TWO_PIECES, learned(), max_new_tokens=7)
    assert len(alone) == 2 * 6 * FRAME
    assert end.reason == "capped"
    first, _ = heard_out(engine, TEXT * 8, learned(), max_new_tokens=7)
    behind = say(engine, TWO_PIECES, learned(), max_new_tokens=7, context_pieces=1)
    assert np.array_equal(behind[: 6 * FRAME], alone[: 6 * FRAME])
    assert not np.array_equal(behind[6 * FRAME :], alone[6 * FRAME :])
    assert len(first) == 6 * FRAME


def test_any_voice_stays_whom_the_first_piece_sounds_like(monkeypatch):
    engine, asked = opened(), []
    text = engine._rows.text
    monkeypatch.setattr(engine._rows, "text", lambda piece, before=None: (asked.append(before), text(piece, before))[1])
    nobody = engine.preset("any")
    speech = say(engine, TWO_PIECES * 2, nobody, max_new_tokens=7)
    assert len(asked) == 3 and asked[0] is None
    assert asked[1] is asked[2] and asked[1].codes.shape == (6, len(BOOKS))
    assert not np.array_equal(speech, say(engine, TWO_PIECES * 2, nobody, max_new_tokens=7, seed=1))
    with pytest.raises(PresetUnknown):
        engine.preset("somebody")


def test_any_voice_is_that_of_the_first_piece_that_was_heard(monkeypatch):
    engine, asked = opened(), []
    text = engine._rows.text
    monkeypatch.setattr(engine._rows, "text", lambda piece, before=None: (asked.append(before), text(piece, before))[1])

    def speak_all_but_the_first(*given):
        return ENDED if len(asked) == 1 else (yield from speak(*given))

    monkeypatch.setattr(fish_engine, "speak", speak_all_but_the_first)
    say(engine, TWO_PIECES * 2, engine.preset("any"), max_new_tokens=3)
    assert [before is None for before in asked] == [True, True, False]


def test_more_words_than_a_recording_can_hold_are_refused_before_they_are_read():
    """Keys and values of 5,000 characters would be gigabytes."""
    engine, words = opened(), Transcript("字" * 5000)
    limit = f"{tiny().config.text_config.max_seq_len // 4:,} are the limit"
    with pytest.raises(TranscriptMismatch, match=limit):
        engine.extract(made_clip(1.1), words)
    with pytest.raises(TranscriptMismatch, match=limit):
        next(spoken(engine, TEXT, learned().with_transcript(words)))
    assert (engine.counts.encoder_runs, engine.counts.prefix_reads) == (0, 0)


def test_instructions_are_a_mark_before_every_piece():
    assert np.array_equal(say(opened(), TEXT, learned(), instructions=" the  [voice]"), say(opened(), f"[the voice] {TEXT}", learned()))


def test_a_control_token_among_the_instructions_is_refused_as_theirs():
    with pytest.raises(OptionInvalid, match="im_end") as refused:
        next(spoken(opened(), TEXT, learned(), instructions="<|im_end|>"))
    assert refused.value.parameter == "instructions"


def test_marks_that_are_obeyed_reach_the_model_and_others_are_refused():
    engine = opened()
    plain = say(engine, "the voice", learned())
    for marked in ("[laugh] the voice", "<|phoneme_start|>the<|phoneme_end|> voice", "<|speaker:1|>the voice"):
        assert not np.array_equal(say(engine, marked, learned())[: len(plain)], plain)
    with pytest.raises(TextUnspeakable, match="im_end"):
        next(spoken(engine, "the <|im_end|> voice", learned()))


def test_a_text_for_which_there_is_no_room_is_refused_before_it_is_begun(monkeypatch):
    monkeypatch.setattr(FishRows, "MOST_POSITIONS", 100)
    with pytest.raises(TextUnspeakable, match="pieces, and 50 are the limit"):
        next(spoken(opened(), TEXT * 6, learned()))


def test_prompt_and_speech_stay_within_the_positions_of_the_model():
    engine = opened()
    options = resolve_options(engine.info.options, {"max_new_tokens": 2048, "runaway_guard": False})
    stream_start, schedule = engine._beginning(TEXT, learned(), options, None, 0)
    assert stream_start.n_rows + schedule.limit.frames == tiny().config.text_config.max_seq_len


def test_the_last_token_is_drawn_and_not_heard():
    samples, end = heard_out(opened(), TEXT, learned(), max_new_tokens=FRAMES + 1)
    assert (len(samples), end.reason) == (FRAMES * FRAME, "capped")
    assert "asked for" in end.warning


@pytest.mark.parametrize("host_lag_frames", [0, 1])
def test_speech_ends_with_the_frame_before_the_end_and_says_so(host_lag_frames):
    engine = opened(ends_after=9, host_lag_frames=host_lag_frames)
    prompt = engine.extract(made_clip(1.1), WORDS)
    samples, end = heard_out(engine, TEXT, prompt, max_new_tokens=60)
    assert (len(samples), end.reason, end.warning) == (9 * FRAME, "ended", "")
    both, end = heard_out(engine, TWO_PIECES, prompt, max_new_tokens=60)
    assert (len(both), end.reason) == (2 * 9 * FRAME, "ended")
    assert engine._batched_decoder._slots.seated == ()


@pytest.mark.parametrize(
    ("tensors", "what"),
    [
        ({"codes": np.zeros((len(BOOKS), 4), np.int32), "frames": np.array([4])}, "of another type"),
        ({"codes": np.zeros((3, 4), np.int16), "frames": np.array([4])}, "of too few books"),
        ({"codes": np.full((len(BOOKS), 4), max(BOOKS), np.int16), "frames": np.array([4])}, "beyond the books"),
        ({"codes": np.full((len(BOOKS), 4), -1, np.int16), "frames": np.array([4])}, "below zero"),
        ({"codes": np.zeros((len(BOOKS), 4), np.int16), "frames": np.array([3])}, "of other lengths"),
        ({"codes": np.zeros((len(BOOKS), 4), np.int16)}, "without lengths"),
        ({"codes": np.zeros((len(BOOKS), 700), np.int16), "frames": np.array([700])}, "of more than a clip may have"),
        ({"codes": np.zeros((len(BOOKS), 5), np.int16), "frames": np.ones(5, np.int64)}, "of more recordings"),
        ({"codes": np.zeros((len(BOOKS), 0), np.int16), "frames": np.full(4, 2**62)}, "of lengths that overflow"),
        ({"codes": np.zeros((len(BOOKS), 0), np.int16), "frames": np.zeros(0, np.int64)}, "of nobody, who would be any voice"),
    ],
)
def test_prompts_with_other_tensors_are_refused(tensors, what):
    engine = opened()
    with pytest.raises(PromptInvalid, match="does not fit it any more: it holds"):
        engine.check_prompt(engine.make_prompt("digest", tensors, WORDS))


def test_what_is_declared_is_what_the_license_and_the_release_want():
    info = PACKAGE.info
    assert (info.sample_rate, info.transcript, info.most_recordings, info.restriction) == (44_100, "required", 4, "commercial use")
    assert info.attribution == "Built with Fish Audio"
    assert resolve_options(info.options, {})["initial_codec_chunk_frames"] == 2
