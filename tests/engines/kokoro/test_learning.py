"""What is learned of a clip: its sounds by the pool's, its style by a map, and both better step by step. At toy size; nothing is heard."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from engines.catalog import open_engine
from engines.clips.clip import Clip
from engines.contract.refinement import LEARNED_OF, LEARNED_STEPS, RefinementStep
from engines.errors import ClipUnusable
from engines.kokoro.config import VOCAB
from engines.kokoro.learning import learner, matched_sounds, voice_start
from engines.kokoro.learning.clip_measures import triangles
from engines.kokoro.learning.matched_sounds import PoolUtterance, SoundPool, matched_frames, save_pool
from tests.engines.kokoro.opened import RATE_HZ, few_steps, learned, opened, robot_clip, toy

BETTER_AFTER = (2, 4, 6)  # steps, in place of the shipped ones
STEPS = BETTER_AFTER[-1]
TIME = np.arange(3 * RATE_HZ) / RATE_HZ
RANDOM = np.random.default_rng(0)


@pytest.fixture(scope="module")
def pool() -> SoundPool:
    """The shipped sounds, with the toy's text rows."""
    return SoundPool.of(toy())


@pytest.fixture(scope="module")
def steps() -> list[RefinementStep]:
    """All of one refinement."""
    at_once = learned()
    with few_steps(BETTER_AFTER):
        return list(opened().refine(robot_clip(), None, at_once))


# --- steps


def test_extraction_begins_a_refinement_and_says_of_the_clip_what_it_measured():
    facts = learned().facts
    assert (facts[LEARNED_STEPS], facts[LEARNED_OF]) == (0, learner.STEPS)
    assert learner.BETTER_AFTER[-1] == learner.STEPS, "the last one is complete"
    assert facts["speech_seconds"] > 1 and facts["snr_db"] > 5 and 60 < facts["f0_hz"] < 200 and facts["bandwidth_hz"] > 5_000


def test_every_step_is_told_and_prompts_come_when_they_are_due(steps):
    assert [(step.step, step.of) for step in steps] == [(number, STEPS) for number in range(1, STEPS + 1)]
    better = {step.step: step.prompt for step in steps if step.prompt is not None}
    assert tuple(better) == BETTER_AFTER
    for number, prompt in better.items():
        own = {LEARNED_STEPS: number, LEARNED_OF: STEPS}
        assert dict(prompt.facts) == dict(learned().facts) | own, "the clip is what it was"
        assert (prompt.engine, prompt.source_digest, prompt.weights_fingerprint) == ("kokoro", robot_clip().digest, "toy")
        assert np.array_equal(prompt.tensors["styles"][0], learned().tensors["styles"][0]), "what learning began with stays"
        assert np.abs(prompt.tensors["styles"][1] - learned().tensors["styles"][1]).max() > 1e-3
        assert prompt.tensors["additions"].any()


def test_the_same_clip_is_refined_to_the_same_bits(steps):
    with few_steps(BETTER_AFTER):
        again = next(step.prompt for step in opened().refine(robot_clip(), None, learned()) if step.prompt)
    assert again.content_digest == steps[BETTER_AFTER[0] - 1].prompt.content_digest


def test_a_refinement_goes_on_behind_the_steps_that_its_prompt_has_had(steps):
    half_way = steps[BETTER_AFTER[1] - 1].prompt
    later = opened().refine(robot_clip(), None, half_way)
    assert next(later).step == BETTER_AFTER[1] + 1
    later.close()
    assert list(opened().refine(robot_clip(), None, steps[-1].prompt)) == []
    assert list(opened().refine(robot_clip(), None, replace(half_way, facts={}))) == [], "who says nothing of steps is not refined"


def test_an_engine_that_is_closed_ends_a_refinement_at_its_step_or_before_its_first():
    engine = opened()
    steps, waiting = (engine.refine(robot_clip(), None, learned()) for _ in range(2))
    assert next(steps).step == 1
    engine.close()
    assert next(steps, None) is None and next(waiting, None) is None


def test_an_engine_that_is_closed_while_a_clip_is_heard_ends_the_refinement(monkeypatch):
    """`close` comes from another thread."""
    engine = opened()
    plain = engine._learner.heard

    def heard(clip: Clip, analysis: object) -> object:
        engine.close()
        return plain(clip, analysis)

    monkeypatch.setattr(engine._learner, "heard", heard)
    steps = engine.refine(robot_clip(), None, learned())
    assert next(steps).step == 1 and next(steps, None) is None


# --- clips that nothing is learned of


@pytest.mark.parametrize(
    "samples",
    [
        np.zeros(len(TIME)), 0.3 * np.sin(2 * np.pi * 220 * TIME), 0.2 * RANDOM.standard_normal(len(TIME)),
        sum(0.15 * np.sin(2 * np.pi * hz * TIME) for hz in (220, 277, 330)), 0.3 * np.sin(2 * np.pi * (150 + 60 * TIME) * TIME),
    ],
    ids=["silence", "tone", "noise", "chord", "rising tone"],
)  # fmt: skip
def test_what_is_no_speech_is_refused_as_the_embedded_engine_refuses_it(samples):
    clip, told = Clip(samples.astype(np.float32), RATE_HZ), []
    for engine in (opened(), open_engine("espeak")):
        with pytest.raises(ClipUnusable) as refused:
            engine.extract(clip)
        told.append(refused.value.code)
    assert told[0] == told[1]


# --- sounds of a pool


def test_the_shipped_pool_fits_together(pool):
    stored = load_file(matched_sounds.FILE)
    n_frames = int(stored["frames"].astype(int).sum())
    assert stored["cepstra"].shape == (2 * n_frames, 14) and stored["lengths"].sum() == len(stored["symbols"]) == len(stored["frames"])
    assert set(stored["symbols"].tolist()) <= {0, *VOCAB.values()} and (stored["frames"] > 0).all()
    assert pool.features.shape == (n_frames, 4 * 14) and pool.text.shape == (n_frames, toy().config.hidden)
    assert pool.begins.sum() == len(stored["lengths"]) and pool.begins[0] and np.isfinite(pool.features).all()
    assert matched_sounds.FILE.stat().st_size < 300_000


def test_speech_of_the_pool_is_followed_frame_by_frame(pool):
    begins = np.flatnonzero(pool.begins)
    for begin, end in ((begins[3], begins[4]), (begins[-1], len(pool.features)), (begins[7] + 20, begins[7] + 90)):
        assert np.array_equal(matched_frames(pool.features[begin:end], pool), np.arange(begin, end))


def test_slower_and_quicker_speech_of_the_pool_is_followed_at_its_own_pace(pool):
    begin = np.flatnonzero(pool.begins)[5]
    spoken = np.arange(begin + 10, begin + 90)
    slower = np.repeat(spoken, np.where(np.arange(len(spoken)) % 8, 1, 2))
    assert np.mean(matched_frames(pool.features[slower], pool) == slower) > 0.95
    quicker = np.delete(spoken, np.arange(5, len(spoken), 8))
    assert np.mean(matched_frames(pool.features[quicker], pool) == quicker) > 0.9


def test_no_path_steps_from_one_utterance_into_the_next():
    """Two of two frames each, a little apart. Where they are one, the next frame costs nothing, and leaving one out little."""
    features = np.array([[-9.0], [0.0], [2.0], [4.0]], np.float32)
    one = SoundPool(features, torch.zeros(4, 1), np.array([True, False, False, False]))
    two = replace(one, begins=np.array([True, False, True, False]))
    assert matched_frames(features[[1, 2]], one).tolist() == [1, 2] and matched_frames(features[[1, 2]], two).tolist() == [1, 1]
    assert matched_frames(features[[1, 3]], one).tolist() == [1, 3] and matched_frames(features[[1, 3]], two).tolist() != [1, 3]


def test_a_pool_comes_back_from_its_file(tmp_path, pool):
    random = np.random.default_rng(1)
    symbols = [np.array([0, 43, 44, 0]), np.array([0, 45, 0])]
    frames = [np.array([9, 12, 15, 8]), np.array([7, 30, 6])]
    said = [
        PoolUtterance(each, times, random.standard_normal(600 * int(times.sum())).astype(np.float32))
        for each, times in zip(symbols, frames, strict=True)
    ]
    save_pool(said, tmp_path / "pool.safetensors")
    made = SoundPool.of(toy(), tmp_path / "pool.safetensors")
    assert np.flatnonzero(made.begins).tolist() == [0, 44] and len(made.features) == len(made.text) == 44 + 43
    for utterance, begin in zip(said, (0, 44), strict=True):
        features = matched_sounds.sound_features(utterance.samples)
        assert np.abs(made.features[begin : begin + len(features)] - features).max() < 0.01
    assert (made.text[:9] == made.text[0]).all() and not (made.text[9] == made.text[8]).all(), "a symbol's rows are all alike"


# --- a style at once


def test_the_shipped_map_goes_from_an_embedding_to_a_style():
    tensors = load_file(voice_start.FILE)
    shapes = {name: (str(tensor.dtype), tensor.shape) for name, tensor in tensors.items()}
    assert shapes == {"map": ("float16", (256, 128)), "mean_embedding": ("float32", (256,)), "mean_style": ("float32", (128,))}
    start = voice_start.voice_start()
    middle = tensors["mean_embedding"]
    aside = middle + np.eye(256, dtype=np.float32)[3]
    styles = [start.style(embedding)[0].numpy() for embedding in (middle, aside)]
    assert np.allclose(styles[0], tensors["mean_style"], atol=1e-6)
    assert np.allclose(styles[1] - styles[0], tensors["map"][3].astype(np.float32), atol=1e-5)


def test_filters_of_clips_are_kept_to_a_bound():
    triangles.cache_clear()
    for hz in range(4_000, 4_040):
        assert triangles(40, 512, RATE_HZ, float(hz)).shape == (257, 40)
    assert triangles.cache_info().currsize <= 16
