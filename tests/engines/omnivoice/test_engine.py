"""The OmniVoice engine: what a prompt holds, what the backbone is given to read, how a text becomes pieces, what is refused."""

import numpy as np
import pytest
import torch

from engines.clips.clip import Transcript
from engines.contract.options import resolve_options
from engines.errors import OptionInvalid, PromptInvalid, TextUnspeakable, TranscriptMismatch, TranscriptRequired
from engines.omnivoice.engine import CODES, RMS
from engines.omnivoice.options import DESIGN
from engines.omnivoice.reference import SpokenReference
from engines.omnivoice.speech_plan import SpeechPlan
from engines.omnivoice.text.duration import estimated_frames, spoken_weight
from tests.engines.clips.made_clip import made_clip
from tests.engines.omnivoice.opened import FEW, FRAME, TEXT, WORDS, learned, opened, say, spoken, tiny

CLIP = made_clip(1.1, pitch_hz=110)


def plan(text: str = TEXT, **given) -> SpeechPlan:
    return SpeechPlan.of(text, None, resolve_options(opened().info.options, FEW | given))


def read_by(engine, text: str, prompt, monkeypatch, **given) -> list[torch.Tensor]:
    """The rows (1, P, D) that stand before each piece."""
    read, begin = [], engine._batched_decoder.begin

    def noted(rows, *rest, **settings):
        read.append(rows)
        return begin(rows, *rest, **settings)

    monkeypatch.setattr(engine._batched_decoder, "begin", noted)
    say(engine, text, prompt, **given)
    return read


def test_a_prompt_holds_the_codes_of_the_recording_and_how_loud_it_was():
    prompt = learned()
    assert prompt.tensors[CODES].dtype == np.int16
    assert len(prompt.tensors[CODES]) == 8
    assert 0 <= prompt.tensors[CODES].min() <= prompt.tensors[CODES].max() < 1024
    assert abs(float(prompt.tensors[RMS]) - np.sqrt(np.mean(CLIP.samples**2))) < 1e-3
    assert prompt.facts["frames"] == prompt.tensors[CODES].shape[1] <= 1.1 * 25


def test_a_prompt_says_how_fast_its_words_were_spoken():
    prompt = learned()
    assert estimated_frames(WORDS.text * 9, (WORDS.text + ".", prompt.facts["frames"])) == pytest.approx(
        spoken_weight(WORDS.text * 9) / prompt.facts["weight_per_frame"], abs=1
    )


def test_words_are_wanted_and_can_be_corrected_without_encoding_again(monkeypatch):
    engine = opened()
    for missing in (None, Transcript("  ", "en")):
        with pytest.raises(TranscriptRequired):
            engine.extract(CLIP, missing)
    prompt = engine.extract(CLIP, WORDS)
    assert engine.counts.encoder_runs == 1
    corrected = prompt.with_transcript(Transcript("and then a voice", "en"))
    first, second = (read_by(opened(), TEXT, one, monkeypatch)[0] for one in (prompt, corrected))
    assert engine.counts.encoder_runs == 1
    assert first.shape != second.shape or not torch.equal(first, second)
    with pytest.raises(TranscriptRequired):
        next(spoken(engine, TEXT, prompt.with_transcript(None)))


def test_the_backbone_reads_style_words_text_and_recording_in_this_order(monkeypatch):
    prompt, networks = learned(), tiny()
    rows = read_by(opened(), "The voice.", prompt, monkeypatch, language="en", instructions="female")[0]
    special, ids = networks.tokenizer.special, networks.tokenizer.ids
    expected = [special("denoise"), special("lang_start"), *ids("en"), special("lang_end")]
    expected += [special("instruct_start"), *ids("female"), special("instruct_end")]
    expected += [special("text_start"), *ids("and then the. The voice."), special("text_end")]
    codes = torch.tensor(prompt.tensors[CODES][None].astype(np.int64))
    with torch.inference_mode():
        read = torch.cat([networks.backbone.embed_text(torch.tensor([expected])), networks.backbone.embed_frames(codes)], dim=1)
    assert torch.equal(rows, read)


def test_without_denoising_or_a_language_the_style_says_so(monkeypatch):
    plain, noisy, told = (
        read_by(opened(), TEXT, learned(), monkeypatch, **given)[0] for given in ({}, {"denoise": False}, {"language": "en"})
    )
    assert plain.shape[1] - noisy.shape[1] == 1
    assert not torch.equal(plain[:, :8], told[:, :8])


def test_a_described_voice_has_no_recording_and_later_pieces_go_on_in_the_first_ones(monkeypatch):
    engine, text = opened(), "The voice. " + "And then a sentence was heard. " * 3
    prompt = engine.preset(DESIGN)
    read = read_by(engine, text, prompt, monkeypatch, instructions="male, whisper", duration=4.0, first_frames=30)
    assert len(read) > 1
    n_first = plan(text, duration=4.0, first_frames=30).pieces[0].n_frames
    words_and_codes = read[1].shape[1] - n_first
    assert words_and_codes > read[0].shape[1], "what was said first stands before what comes next, and so do its codes"


def test_two_descriptions_are_two_voices_and_none_is_any():
    described = [say(opened(), TEXT, opened().preset(DESIGN), instructions=said) for said in ("", "male", "female, child")]
    assert len({samples.tobytes() for samples in described}) == 3
    assert all(np.isclose(np.abs(samples).max(), 0.5, atol=0.01) for samples in described), "nobody's level: half of full scale"


def test_the_level_of_a_quiet_recording_is_that_of_the_speech():
    quiet = made_clip(1.1, pitch_hz=110)
    quiet = type(quiet)(quiet.samples * np.float32(0.2), quiet.sample_rate)
    prompt = opened().extract(quiet, WORDS)
    loud_codes = learned().tensors[CODES]
    assert (prompt.tensors[CODES] == loud_codes).mean() > 0.5, "it is raised before it is encoded"
    heard = [np.abs(say(opened(), TEXT, one)).max() for one in (prompt, learned())]
    assert heard[0] < 0.8 * heard[1]


def test_pieces_are_as_long_as_the_voices_pace_wants():
    words, n_frames = "and then the.", learned().tensors[CODES].shape[1]
    spoken_plan = SpeechPlan.of(
        TEXT, None, resolve_options(opened().info.options, {"first_frames": 0})
    )  # fmt: skip
    assert [piece.n_frames for piece in spoken_plan.pieces] == [estimated_frames(TEXT, None)]
    assert estimated_frames(TEXT, (words, n_frames)) != estimated_frames(TEXT, None)


@pytest.mark.parametrize("seconds", [0.4, 3.0, 20.0])
def test_a_duration_is_shared_by_the_pieces_in_proportion(seconds):
    text = "One sentence stands here. " * 6
    shared = plan(text, duration=seconds).pieces
    assert sum(piece.n_frames for piece in shared) == int(25 * seconds)
    assert "".join(piece.text for piece in shared).replace(" ", "") == text.replace(" ", "")


def test_pieces_have_seeds_of_their_own():
    settings = plan(seed=2**63 - 1)
    assert [settings.settings_of(index).seed for index in range(3)] == [2**63 - 1, 0, 1]


def test_a_prepared_voice_is_kept_within_bounds_and_forgotten():
    engine, prompt = opened(), learned()
    before = engine.memory_bytes()
    engine.prepare(prompt)
    assert engine.memory_bytes() - before == prompt.tensors[CODES].shape[1] * 32 * 4
    engine.forget(prompt.content_digest)
    assert engine.memory_bytes() == before


def test_warming_up_changes_no_later_speech_and_loads_the_encoder():
    engine = opened()
    engine.warmup()
    assert np.array_equal(say(engine, TEXT, learned()), say(opened(), TEXT, learned()))


def test_more_words_than_a_recording_can_hold_and_control_tokens_are_refused():
    with pytest.raises(TranscriptMismatch, match="1,024 are the limit"):
        opened().extract(CLIP, Transcript("voice " * 3000, "en"))
    with pytest.raises(TranscriptMismatch, match="text_end"):
        opened().extract(CLIP, Transcript("voice <|text_end|>", "en"))
    with pytest.raises(TextUnspeakable, match="text_end"):
        next(spoken(opened(), "Voice <|text_end|>.", learned()))


@pytest.mark.parametrize(("words", "named"), [("voice " * 3000, "1,024 are the limit"), ("voice <|text_end|>", "text_end")])
def test_words_that_a_voice_got_later_are_read_as_strictly(words, named):
    with pytest.raises(TranscriptMismatch, match=named):
        next(spoken(opened(), TEXT, learned().with_transcript(Transcript(words, "en"))))


def test_instructions_that_are_not_known_are_refused_with_the_nearest():
    with pytest.raises(OptionInvalid, match="wisper") as refused:
        next(spoken(opened(), TEXT, learned(), instructions="wisper"))
    assert "whisper" in refused.value.hint


def test_a_duration_that_the_text_cannot_fill_is_refused():
    with pytest.raises(OptionInvalid, match="cannot be drawn out to 2 min"):
        plan("Voice.", duration=120.0)
    assert sum(piece.n_frames for piece in plan("Voice. " * 30, duration=120.0).pieces) == 3000


def test_a_word_that_would_last_too_long_is_the_fault_of_the_voices_words_where_they_are_too_few():
    def refused(words: str, text: str) -> Exception:
        reference = SpokenReference(words, torch.zeros(1, 250, 1), rms=0.1)
        with pytest.raises((TranscriptMismatch, TextUnspeakable)) as refusal:
            SpeechPlan.of(text, reference, resolve_options(opened().info.options, {}))
        return refusal.value

    few = refused("Hi.", "The international one.")
    assert isinstance(few, TranscriptMismatch) and "too few for 10 s" in few.fact
    for words in ("Hi.", "The words of a reader who says as many as this in ten seconds, and then a few more of them."):
        assert isinstance(refused(words, "A" + "!" * 3000), TextUnspeakable)


def test_a_rest_too_short_for_a_piece_of_its_own_is_spoken_with_the_first():
    texts = ["The sentence and then the voice was " + "heard " * n for n in (1, 4, 8, 20)]
    for text in texts:
        n_frames, n_pieces = estimated_frames(text, None), len(plan(text, duration=0.0, first_frames=50).pieces)
        assert (n_pieces == 1) == (n_frames <= 75)


@pytest.mark.parametrize("tensors", [
    {CODES: np.zeros((8, 4), np.int64), RMS: np.zeros((), np.float32)},
    {CODES: np.zeros((7, 4), np.int16), RMS: np.zeros((), np.float32)},
    {CODES: np.full((8, 4), 1024, np.int16), RMS: np.zeros((), np.float32)},
    {CODES: np.full((8, 4), -1, np.int16), RMS: np.zeros((), np.float32)},
    {CODES: np.zeros((8, 4), np.int16), RMS: np.array(np.nan, np.float32)},
    {CODES: np.zeros((8, 4), np.int16), RMS: np.array([0.1], np.float32)},
    {CODES: np.zeros((8, 4), np.int16)},
    {CODES: np.zeros((8, 0), np.int16), RMS: np.array(0.1, np.float32)},  # nobody's: any voice would speak for this one
])  # fmt: skip
def test_prompts_with_other_tensors_are_refused(tensors):
    engine = opened()
    with pytest.raises(PromptInvalid, match="does not fit it any more: it holds"):
        engine.check_prompt(engine.make_prompt("made", tensors, WORDS))


def test_the_built_in_speaker_has_no_recording():
    engine = opened()
    with pytest.raises(PromptInvalid, match="does not fit it any more: it holds"):
        engine.check_prompt(engine.make_prompt(f"preset:{DESIGN}", learned().tensors))


def test_a_frame_of_the_codec_is_what_lengths_are_counted_in():
    assert tiny().codec_config.frame_samples == FRAME
    assert tiny().codec_config.sample_rate / FRAME == 25
