"""VoxtralEngine: what a prompt holds, what a voice is kept as, how texts are spoken in pieces, and what is refused."""

import numpy as np
import pytest
import torch

from engines.catalog import engine_info
from engines.clips.clip import Clip
from engines.contract.options import resolve_options
from engines.contract.prompt import adopted_digest
from engines.contract.speech_end import ENDED, SpeechEnd
from engines.errors import ClipsUnsupported, EmbeddingUnusable, PresetUnknown, PromptInvalid, TextUnspeakable
from engines.voxtral import PACKAGE
from engines.voxtral import engine as voxtral_engine
from engines.voxtral.batched_decoder import VoxtralRows
from engines.voxtral.options import PRESET_LANGUAGES, PRESETS
from engines.voxtral.text_pieces import text_pieces
from tests.engines.clips.made_clip import made_clip
from tests.engines.voxtral.opened import FRAME, FRAMES, TEXT, learned, opened, reference, say, spoken, tiny, tiny_folder

TWO_PIECES = "The sentence and then the voice. " * 10
SIZES = (64,) + (21,) * 36


def heard_out(engine, text, prompt, **given):
    stream, parts = spoken(engine, text, prompt, **given), []
    while True:
        try:
            parts.append(next(stream))
        except StopIteration as end:
            return np.concatenate(parts), end.value


def codes_of_frames(n_frames: int, seed: int = 0) -> np.ndarray:
    return (np.random.default_rng(seed).random((37, n_frames)) * np.array(SIZES)[:, None]).astype(np.int16)


def test_what_is_there_before_anybody_speaks_is_no_inference_tensor():
    """ZeroGPU gives these tensors other data in each process that it forks, which torch refuses for inference tensors."""
    engine, networks = opened(fixed_shapes=True), tiny()
    parts = (networks.backbone, networks.flow, networks.encoder, networks.decoder)
    rows, flow = engine._batched_decoder.rows, networks.flow
    holders = rows, rows._keys, *rows._keys.caches, rows._keys._place, rows._pieces, rows._pieces._state, flow
    kept = [*flow._step, *(value for holder in holders for value in vars(holder).values())]
    tensors = [tensor for part in parts for tensor in [*part.parameters(), *part.buffers()]]
    tensors += [one for held in kept for one in (held if isinstance(held, tuple) else [held]) if isinstance(one, torch.Tensor)]
    assert len(tensors) > 150 and not any(tensor.is_inference() for tensor in tensors)


def test_a_prompt_holds_the_codes_of_the_recording():
    codes = learned().tensors["codes"]
    assert (codes.dtype, codes.shape) == (np.int16, (37, 14)), "1.1 s, the last frame begun"
    assert all(book.min() >= 0 and book.max() < size and len(set(book.tolist())) > 2 for book, size in zip(codes, SIZES, strict=True))
    assert learned().facts == {"seconds": 1.1, "frames": 14}
    assert opened().info.clones_clips


def test_the_longest_clip_makes_a_prompt_that_is_taken():
    """30 s of 44.1 kHz are 720,001 samples of 24 kHz, the last of them in a frame of its own."""
    engine = opened()
    samples = np.random.default_rng(0).normal(0, 0.1, int(engine.info.most_clip_seconds) * 44_100).astype(np.float32)
    prompt = engine.extract(Clip(samples, 44_100))
    engine.check_prompt(prompt)
    assert prompt.tensors["codes"].shape == (37, 375)


def test_without_an_encoder_it_speaks_in_built_in_voices_alone_and_says_so():
    engine = opened(networks=tiny(encoder=False))
    assert not engine.info.clones_clips
    with pytest.raises(ClipsUnsupported, match="without the part that learns a voice"):
        engine.extract(made_clip(1.1))
    engine.warmup()
    assert len(say(engine, TEXT, engine.preset("ar_male"))) == FRAMES * FRAME


def test_what_weights_can_do_is_known_before_they_are_opened(tmp_path):
    with_encoder, without = (engine_info("voxtral", str(tiny_folder(encoder=encoder))) for encoder in (True, False))
    assert (with_encoder.clones_clips, without.clones_clips) == (True, False)
    assert "recording" in with_encoder.summary and "clone no voice" in without.summary
    for name in ("params.json", "tekken.json", "consolidated.safetensors"):
        (tmp_path / name).write_text("damaged")
    assert not engine_info("voxtral", str(tmp_path)).clones_clips
    assert not engine_info("voxtral").clones_clips, "nothing is here"


def test_twenty_voices_are_built_in_each_of_a_language():
    info = PACKAGE.info
    assert len(info.presets) == len(set(info.presets)) == 20
    assert set(info.preset_languages) == set(info.presets)
    assert set(PRESET_LANGUAGES.values()) == set(info.languages)
    assert [PRESET_LANGUAGES[name] for name in ("casual_male", "pt_female", "hi_male")] == ["en", "pt", "hi"]
    assert set(tiny().voices) == set(PRESETS)


def test_a_built_in_voice_is_its_files_rows():
    engine = opened()
    prompt = engine.preset("de_male")
    assert np.array_equal(prompt.tensors["embeddings"], tiny().voices["de_male"].float().numpy())
    assert prompt.is_preset
    assert not np.array_equal(say(engine, TEXT, prompt), say(engine, TEXT, engine.preset("de_female")))
    with pytest.raises(PresetUnknown, match="nobody"):
        engine.preset("nobody")


def test_voices_without_a_file_are_none_of_its():
    networks = tiny().with_voices({name: rows for name, rows in tiny().voices.items() if name.startswith("de_")})
    info = opened(networks=networks).info
    assert (set(info.presets), info.default_preset in info.presets) == ({"de_male", "de_female"}, True)
    assert opened(networks=tiny().with_voices({})).info.default_preset is None


def test_other_voices_make_other_prompts_of_nobody():
    """What was kept of a voice under the same weights with other files is another's."""
    other = opened(networks=tiny().with_voices({"de_male": tiny().voices["de_female"]}))
    with pytest.raises(PromptInvalid):
        other.check_prompt(opened().preset("de_male"))


def test_rows_and_codes_of_other_tools_are_the_voice_that_they_would_be_here():
    engine, codes = opened(), learned().tensors["codes"]
    adopted = engine.adopt("codes", codes.astype(np.int64))
    assert np.array_equal(say(engine, TEXT, adopted), reference())
    rows = engine.preset("it_male").tensors["embeddings"]
    assert np.array_equal(
        say(engine, TEXT, engine.adopt("embeddings", rows.astype(np.float64))), say(engine, TEXT, engine.preset("it_male"))
    )
    assert engine.adopt("embeddings", rows).source_digest == adopted_digest("embeddings", rows)
    assert adopted.source_digest == adopted_digest("codes", codes)


@pytest.mark.parametrize(
    ("name", "tensor", "what"),
    [
        ("embeddings", np.zeros((4, 63), np.float32), r"is embeddings \(4, 63\) of float32.*takes 1 to 375 frames"),
        ("embeddings", np.zeros((0, 64), np.float32), r"is embeddings \(0, 64\).*takes 1 to 375 frames"),
        ("embeddings", np.zeros((377, 64), np.float32), r"is embeddings \(377, 64\).*takes 1 to 375 frames"),
        ("embeddings", np.full((4, 64), np.nan, np.float32), "not finite"),
        ("embeddings", np.full((4, 64), 1e300), "not finite"),
        ("embeddings", np.full((4, 64), 3.4e38, np.float32), "not finite, or beyond 65504"),  # bfloat16 has infinity there
        ("codes", codes_of_frames(4).astype(np.float32), r"is codes \(37, 4\) of float32"),
        ("codes", codes_of_frames(4)[:36], r"is codes \(36, 4\) of int16"),
        ("codes", codes_of_frames(376), r"is codes \(37, 376\).*takes 1 to 375 frames"),
        ("codes", np.where(np.arange(37)[:, None] == 3, 21, codes_of_frames(4)), "Not all of these codes are in their codebooks"),
        ("codes", codes_of_frames(4) - 70, "Not all of these codes are in their codebooks"),
        ("codes", codes_of_frames(4).astype(np.int64) + 2**16, "Not all of these codes are in their codebooks"),
        ("vector", np.zeros((4, 64), np.float32), r"is vector \(4, 64\).*Taken are: embeddings"),
    ],
)
def test_what_other_tools_made_for_another_model_is_refused(name, tensor, what):
    with pytest.raises(EmbeddingUnusable, match=what):
        opened().adopt(name, tensor)


def test_a_prepared_voice_is_read_once():
    engine = opened()
    engine.prepare(learned())
    for seed in (0, 1):
        say(engine, TEXT, learned(), seed=seed, max_new_tokens=3)
    assert (engine.counts.prefix_reads, engine.counts.encoder_runs) == (1, 0)
    engine.forget(learned().content_digest)
    say(engine, TWO_PIECES, learned(), max_new_tokens=3)
    assert engine.counts.prefix_reads == 2, "once for all pieces"


def test_the_encoder_is_warm_before_anybody_has_a_recording(monkeypatch):
    engine, encoded = opened(), []
    encode = engine._networks.encoder.encode
    monkeypatch.setattr(engine._networks.encoder, "encode", lambda samples: (encoded.append(samples.shape), encode(samples))[1])
    engine.warmup()
    assert ([shape[0] for shape in encoded], engine.counts.encoder_runs) == ([1], 0)


@pytest.mark.parametrize("rate", [8_000, 44_101])
def test_recordings_of_any_rate_are_encoded_at_the_codecs(rate):
    assert opened().extract(made_clip(1.25, sample_rate=rate)).tensors["codes"].shape == (37, 16)


def test_a_long_text_is_spoken_in_pieces_each_with_noise_of_its_own():
    """Piece n has that of the seed + n; behind the last seed comes the first."""
    engine, last = opened(), 2**63 - 1
    samples, end = heard_out(engine, TWO_PIECES, learned(), max_new_tokens=4, seed=last)
    assert (len(samples), end.reason) == (2 * 4 * FRAME, "capped")
    alone = [
        say(engine, piece, learned(), max_new_tokens=4, seed=seed) for piece, seed in zip(text_pieces(TWO_PIECES), (last, 0), strict=True)
    ]
    assert np.array_equal(samples, np.concatenate(alone))
    with pytest.raises(TextUnspeakable, match="nothing to say"):
        next(spoken(engine, "  ", learned()))


def test_of_a_text_it_is_told_why_the_first_piece_ended_that_did_not_by_itself(monkeypatch):
    capped, looped = SpeechEnd.capped_as_asked(1.0), SpeechEnd.repeating(3.0)
    for ends, told in ([(capped, ENDED), capped], [(ENDED, looped), looped], [(capped, looped), capped], [(ENDED, ENDED), ENDED]):
        left = iter(ends)

        def spoken_so(*_, left=left):
            yield np.zeros(FRAME, np.float32)
            return next(left)

        monkeypatch.setattr(voxtral_engine, "speak", spoken_so)
        assert heard_out(opened(), TWO_PIECES, learned())[1] is told


@pytest.mark.parametrize("is_on", [True, False])
def test_the_guard_hears_every_frame_unless_it_is_switched_off(monkeypatch, is_on):
    heard = []

    class Guard:
        def __init__(self, *rates):
            assert rates == (24_000, 12.5)

        def heed(self, samples, codes):
            heard.extend(codes.tolist())
            return samples, SpeechEnd.repeating(3.0) if len(heard) >= 3 else None

    monkeypatch.setattr(voxtral_engine, "RunawayGuard", Guard)
    samples, end = heard_out(opened(), TEXT, learned(), max_new_tokens=5, runaway_guard=is_on)
    assert (end.reason, len(samples) // FRAME, len(heard)) == (("looped", 3, 3) if is_on else ("capped", 5, 0))
    assert all(len(frame) == 37 for frame in heard)


def test_a_text_for_which_there_is_no_room_is_refused_before_it_is_begun(monkeypatch):
    monkeypatch.setattr(VoxtralRows, "MOST_POSITIONS", 60)
    with pytest.raises(TextUnspeakable, match="41 pieces, and 30 are the limit"):
        next(spoken(opened(), TEXT, learned()))


def test_prompt_and_speech_stay_within_the_positions_of_the_model():
    engine = opened()
    options = resolve_options(engine.info.options, {"max_new_tokens": 2048, "runaway_guard": False})
    stream_start, schedule = engine._beginning(TEXT, learned(), options, 0)
    assert stream_start.n_rows + schedule.limit.frames == tiny().config.max_seq_len


@pytest.mark.parametrize("host_lag_frames", [0, 1])
def test_speech_ends_with_the_frame_before_the_end_and_says_so(host_lag_frames):
    engine = opened(networks=tiny(9), host_lag_frames=host_lag_frames)
    prompt = engine.preset("casual_male")
    samples, end = heard_out(engine, TEXT, prompt, max_new_tokens=60)
    assert (len(samples), end.reason, end.warning) == (9 * FRAME, "ended", "")
    both, end = heard_out(engine, TWO_PIECES, prompt, max_new_tokens=60)
    assert (len(both), end.reason) == (2 * 9 * FRAME, "ended")
    assert engine._batched_decoder._slots.seated == ()


@torch.inference_mode()
def test_a_speech_has_a_frame_at_least():
    """Upstream it may end before, and nobody hears anything: the first frame's code is the likeliest but for the end."""
    engine, flow = opened(networks=tiny(0)), tiny(0).flow
    stream_start, _ = engine._beginning(TEXT, engine.preset("casual_male"), resolve_options(engine.info.options, {}), 0)
    engine._batched_decoder._read_beginnings([engine._batched_decoder.begin(stream_start, 1)])
    hidden_state, code = engine._batched_decoder.rows._hidden_state, int(engine._batched_decoder.rows._code)
    assert int(flow.semantic(hidden_state, torch.tensor([[False]]))) == 0, "the end"
    assert code == 1 + int(flow.semantic_logits(hidden_state)[0, 1:].argmax())


@pytest.mark.parametrize(
    ("tensors", "what"),
    [
        ({"codes": codes_of_frames(4).astype(np.int32)}, "of another type"),
        ({"codes": codes_of_frames(4)[:3]}, "of too few books"),
        ({"codes": codes_of_frames(4) + 64}, "beyond the books"),
        ({"codes": codes_of_frames(376)}, "of more than a clip may have"),
        ({"embeddings": np.full((4, 64), np.inf, np.float32)}, "not finite"),
        ({"embeddings": np.full((4, 64), -3.4e38, np.float32)}, "not finite in bfloat16"),
        ({"embeddings": np.zeros((4, 64), np.float32), "codes": codes_of_frames(4)}, "of two kinds"),
        ({"others": np.zeros((4, 64), np.float32)}, "of no kind"),
    ],
)
def test_prompts_with_other_tensors_are_refused(tensors, what):
    engine = opened()
    with pytest.raises(PromptInvalid, match="does not fit it any more: it holds"):
        engine.check_prompt(engine.make_prompt("digest", tensors))


def test_what_is_declared_is_what_the_license_and_the_release_want():
    info = PACKAGE.info
    assert (info.sample_rate, info.transcript, info.restriction, info.clones_clips) == (24_000, "unused", "commercial use", False)
    assert "Mistral" in info.attribution and info.default_preset in info.presets
    assert [form.described for form in info.prompt_forms] == ["embeddings (frames, 3072)", "codes (37, frames)"]
