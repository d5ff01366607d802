"""The contract suite: what every engine promises, whatever model is inside. For tests, here and of other packages; it needs pytest.

A test module imports all of it (`from engines.contract_suite import *`) and gives it a fixture `subject`, of scope module.
"""

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pytest

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import Engine, HeardOut
from engines.contract.options import resolve_options
from engines.contract.preset_blend import blend_text
from engines.contract.prompt import SpeakerPrompt, preset_digest
from engines.contract.refinement import Refinement, refinement_of
from engines.contract.speech_end import ENDED
from engines.contract.text_feed import TextFeed
from engines.contract.word_marks import WordMark, listened
from engines.errors import BlendInvalid, CallerMistake, ClipsUnsupported, OptionInvalid, PresetUnknown, PromptInvalid

MOST_PRESETS = 12  # that are heard, from all over the list


@dataclass(frozen=True)
class Subject:
    """clips: two different speakers, usable. transcript: the words of the first clip. text: two sentences or more, a few seconds.

    chunkings: settings of the engine's own options that change where its audio is cut, and nothing that can be heard.
    """

    engine: Engine
    clips: tuple[Clip, Clip]
    transcript: Transcript
    text: str
    chunkings: tuple[Mapping[str, object], ...] = ()


@pytest.fixture(scope="module")
def prompts(subject) -> tuple[SpeakerPrompt, SpeakerPrompt]:
    transcript = subject.transcript if subject.engine.info.transcript == "required" else None
    return tuple(subject.engine.extract(clip, transcript) for clip in subject.clips)


@pytest.fixture(scope="module")
def spoken(subject, prompts) -> np.ndarray:
    """The subject's text in its first voice, (T,): once, for all claims that compare with it. Read-only."""
    samples = say(subject, prompts[0])
    samples.flags.writeable = False
    return samples


def test_what_is_declared_of_texts_and_terms_can_be_used(subject):
    info = subject.engine.info
    for pattern in (*info.markup, *(p for limit in info.language_limits for p in (limit.concerns, limit.unasked))):
        assert re.compile(pattern)
    assert all(limit.code in ("", *info.languages) and limit.fact and limit.hint and limit.misread for limit in info.language_limits)
    assert (info.phones == "ipa") == any(re.fullmatch(pattern, '<phoneme alphabet="ipa" ph="a">a</phoneme>') for pattern in info.markup)
    assert isinstance(hash(info), int), "windows compare what they show by it"


def options(subject: Subject, **given):
    schema = subject.engine.info.options
    known = {option.name for option in schema}
    return resolve_options(schema, {name: value for name, value in given.items() if name in known})


def say(subject: Subject, prompt: SpeakerPrompt, text: str | None = None, **given) -> np.ndarray:
    return np.concatenate(list(subject.engine.stream(text or subject.text, prompt, options(subject, **given))))


def test_chunks_are_float32_mono_finite_within_full_scale_and_not_silent_and_the_stream_says_that_it_ended(subject, prompts, spoken):
    stream = HeardOut(subject.engine.stream(subject.text, prompts[0], options(subject)))
    for chunk in stream:
        assert chunk.dtype == np.float32
        assert chunk.ndim == 1
        assert np.isfinite(chunk).all()
        assert np.abs(chunk).max(initial=0.0) <= 1.0
    assert np.sqrt(np.mean(spoken**2)) > 0.003  # -50 dBFS
    assert stream.end == ENDED


def test_the_length_of_speech_fits_the_declared_rate(subject, spoken):
    """Speech has 5 to 40 characters per second; a wrong rate of half or double falls outside with these texts."""
    seconds = len(spoken) / subject.engine.info.sample_rate
    assert len(subject.text) / 40 < seconds < len(subject.text) / 5


def test_the_same_seed_gives_the_same_samples(subject, prompts):
    assert np.array_equal(say(subject, prompts[0], seed=7), say(subject, prompts[0], seed=7))


def test_words_are_marked_in_order_within_the_stream_and_no_sample_is_another_for_that(subject, prompts, spoken):
    if not subject.engine.info.marks_words:
        return
    marks: list[WordMark] = []
    samples = np.concatenate(list(listened(subject.engine.stream(subject.text, prompts[0], options(subject)), marks.append)))
    assert np.array_equal(samples, spoken)
    places = [place for mark in marks for place in (mark.start, mark.end)]
    times = [time for mark in marks for time in (mark.start_samples, mark.end_samples)]
    assert places == sorted(places) and times == sorted(times), "in order, none within another"
    assert times[0] >= 0 and times[-1] <= len(samples) and all(mark.start_samples < mark.end_samples for mark in marks)
    words = [match.span() for match in re.finditer(r"\w+", subject.text)]
    said = [any(mark.start <= start and end <= mark.end for mark in marks) for start, end in words]
    assert all(said), "each word of the text lies in one stretch that is marked"


def test_interleaved_streams_equal_each_alone(subject, prompts, spoken):
    texts = (subject.text, subject.text[::-1])
    alone = [spoken, say(subject, prompts[1], texts[1])]
    streams = [subject.engine.stream(text, prompt, options(subject)) for prompt, text in zip(prompts, texts, strict=True)]
    heard: list[list[np.ndarray]] = [[], []]
    for chunks in itertools.zip_longest(*streams):
        for parts, chunk in zip(heard, chunks, strict=True):
            parts.extend([] if chunk is None else [chunk])
    for parts, expected in zip(heard, alone, strict=True):
        assert np.allclose(np.concatenate(parts), expected, atol=1e-5)


def test_streamed_equals_whole_however_it_is_cut(subject, prompts, spoken):
    for chunking in subject.chunkings:
        assert set(chunking) <= {option.name for option in subject.engine.info.options}
        samples = say(subject, prompts[0], **chunking)
        assert len(samples) == len(spoken), chunking
        assert np.abs(samples - spoken).max() <= 1e-5, chunking


def test_a_text_that_comes_while_it_is_spoken_is_said_as_the_whole(subject, prompts, spoken, monkeypatch):
    if not subject.engine.info.reads_along:  # then it waits for the whole, which it is heard to say elsewhere
        monkeypatch.setattr(subject.engine, "stream", lambda text, prompt, options: iter([spoken] if text == subject.text else []))
    feed, heard, words = TextFeed(), [], iter(re.findall(r"\S+\s*", subject.text))
    for chunk in subject.engine.stream_along(feed, prompts[0], options(subject)):
        heard.append(chunk)
        if feed.is_starved and (word := next(words, None)) is not None:
            feed.add(word)
        elif feed.is_starved:
            feed.end()
    samples = np.concatenate(heard)
    assert len(samples) == len(spoken)
    assert np.abs(samples - spoken).max() <= 1e-5


def test_two_clips_give_two_prompts_and_two_speakers(subject, prompts, spoken):
    assert prompts[0].content_digest != prompts[1].content_digest
    other = say(subject, prompts[1])
    n = min(len(spoken), len(other))
    assert not np.allclose(spoken[:n], other[:n], atol=1e-3)


def test_extraction_is_deterministic_and_knows_its_source(subject, prompts):
    transcript = subject.transcript if subject.engine.info.transcript == "required" else None
    again = subject.engine.extract(subject.clips[0], transcript)
    assert again.content_digest == prompts[0].content_digest
    assert again.source_digest == subject.clips[0].digest
    assert again.engine == subject.engine.info.id


def test_a_prompt_survives_its_file_and_speaks_the_same(subject, prompts, spoken):
    restored = SpeakerPrompt.from_bytes(prompts[0].to_bytes())
    assert np.array_equal(say(subject, restored), spoken)


def test_a_transcript_shapes_the_tensors_only_where_the_engine_says_so(subject, prompts):
    if subject.engine.info.transcript == "required":
        pytest.skip("this engine does not extract without a transcript")
    with_words = subject.engine.extract(subject.clips[0], subject.transcript)
    assert (with_words.content_digest != prompts[0].content_digest) == subject.engine.info.transcript_shapes_prompt


def test_preparing_and_forgetting_change_no_sample(subject, prompts, spoken):
    subject.engine.forget(prompts[0].content_digest)
    subject.engine.prepare(prompts[0])
    subject.engine.prepare(prompts[0])
    prepared = say(subject, prompts[0])
    subject.engine.forget(prompts[0].content_digest)
    subject.engine.forget("never heard of")
    assert np.array_equal(spoken, prepared)
    assert np.array_equal(spoken, say(subject, prompts[0]))


def test_refining_goes_on_where_it_stopped_and_gives_prompts_of_the_same_speaker_until_one_is_complete(subject, prompts, spoken):
    reached = refinement_of(prompts[0])
    assert (reached is not None) == subject.engine.info.refines
    words = subject.transcript if subject.engine.info.transcript == "required" else None
    if not subject.engine.info.refines:
        assert list(subject.engine.refine(subject.clips[0], words, prompts[0])) == []
        return
    steps = subject.engine.refine(subject.clips[0], words, prompts[0])
    better = next(step for step in steps if step.prompt is not None)
    assert reached is not None and better.prompt is not None
    steps.close()
    assert next(steps, None) is None
    assert refinement_of(better.prompt) == Refinement(better.step, better.of)
    assert 0 == reached.step < better.step <= better.of == reached.of
    rest = list(subject.engine.refine(subject.clips[0], words, better.prompt))
    assert [step.step for step in rest] == list(range(better.step + 1, better.of + 1))
    last = rest[-1].prompt if rest else better.prompt
    complete = refinement_of(last)
    assert complete is not None and complete.is_complete
    assert list(subject.engine.refine(subject.clips[0], words, last)) == []
    for prompt in (better.prompt, last):
        assert (prompt.source_digest, prompt.content_digest != prompts[0].content_digest) == (prompts[0].source_digest, True)
        assert not np.array_equal(say(subject, prompt), spoken)
    assert np.array_equal(say(subject, prompts[0]), spoken), "the engine changed with none of it"


def test_a_closed_stream_leaves_the_engine_usable_and_the_next_speech_unchanged(subject, prompts, spoken):
    stream = subject.engine.stream(subject.text, prompts[1], options(subject))
    next(stream)
    stream.close()
    assert next(stream, None) is None
    assert np.array_equal(say(subject, prompts[0]), spoken)


def test_nothing_is_computed_before_the_first_chunk_is_asked_for(subject):
    """A stream that is opened and dropped costs nothing, not even the check of its text."""
    subject.engine.stream("", subject.engine.extract(subject.clips[0], subject.transcript), options(subject)).close()


def test_a_prompt_of_another_engine_or_revision_is_refused(subject, prompts):
    p = prompts[0]
    for field in ("engine", "extractor_revision", "weights_fingerprint", "numeric_mode"):
        foreign = replace(p, **{field: "other"})
        with pytest.raises(PromptInvalid):
            next(subject.engine.stream(subject.text, foreign, options(subject)))


def test_presets_speak_and_unknown_ones_are_refused(subject):
    info = subject.engine.info
    for name in info.presets[:: 1 + len(info.presets) // MOST_PRESETS]:
        assert len(say(subject, subject.engine.preset(name), subject.text.split()[0]))
    assert info.default_preset is None or info.default_preset in info.presets
    with pytest.raises(PresetUnknown):
        subject.engine.preset("nobody of this name")


def test_presets_belong_to_languages_of_the_engine_or_to_accents_of_them(subject):
    info = subject.engine.info
    plain = {code.partition("-")[0] for code in info.languages}
    assert {language.partition("-")[0] for language in info.preset_languages.values()} <= plain
    assert set(info.preset_sexes.values()) <= {"female", "male"}


def test_a_blend_is_another_speaker_and_one_prompt_however_it_is_written(subject):
    engine, info = subject.engine, subject.engine.info
    if not info.blends_presets:
        with pytest.raises(PresetUnknown):
            engine.preset("+".join(info.presets[:2]) + "+nobody")
        return
    assert all(re.fullmatch(r"[0-9A-Za-z_-]+", name) for name in info.presets), "in a formula other signs mean something"
    first, second = info.presets[:2]
    blend = blend_text(f"{first}:0.6+{second}:0.4", info)
    assert blend is not None
    prompt = engine.preset(blend)
    assert prompt.source_digest.startswith(preset_digest(blend))
    assert prompt.content_digest == engine.preset(blend_text(f"{second}(2) + {first}(3)", info)).content_digest
    assert prompt.content_digest not in {engine.preset(first).content_digest, engine.preset(second).content_digest}
    n = len(say(subject, engine.preset(first)))
    heard = [say(subject, engine.preset(name))[: n // 2] for name in (first, second, blend)]
    assert not any(np.array_equal(heard[-1], other) for other in heard[:-1] if len(other) == len(heard[-1]))
    with pytest.raises(BlendInvalid, match="nobody"):
        engine.preset(f"{first}+nobody")


def test_a_designed_speaker_is_a_preset_that_instructions_change_and_nobodys_default(subject):
    info = subject.engine.info
    if info.designed_preset is None:
        return
    assert info.designed_preset in info.presets and info.designed_preset != info.default_preset
    [described] = [option for option in info.options if option.name == "instructions"]
    assert (described.kind, described.default) == ("text", "")
    prompt = subject.engine.preset(info.designed_preset)
    said = described.suggestions[0][0] if described.suggestions else "an old man"
    assert not np.array_equal(say(subject, prompt), say(subject, prompt, instructions=said))


def test_an_embedding_is_taken_exactly_where_it_is_declared(subject):
    size = subject.engine.info.embedding_size
    if size is None:
        with pytest.raises(CallerMistake):
            subject.engine.embed(np.zeros(8, np.float32))
    else:
        prompt = subject.engine.embed(np.ones(size, np.float32))
        assert prompt.source_digest.startswith("embedding:")
        assert len(say(subject, prompt))


def test_every_option_has_a_default_that_passes_its_own_check(subject):
    for option in subject.engine.info.options:
        assert option.summary
        assert option.kind != "text" or option.maximum, "a text says how long it may be"
        if option.default is not None:
            assert option.check(option.default) == option.default
    with pytest.raises(OptionInvalid):
        resolve_options(subject.engine.info.options, {"no such option": 1})


def test_clips_that_are_too_short_are_refused_with_a_code(subject):
    clip = subject.clips[0]
    short = type(clip)(clip.samples[: int(0.3 * clip.sample_rate)], clip.sample_rate)
    with pytest.raises(CallerMistake) as refused:
        subject.engine.extract(short, subject.transcript)
    assert refused.value.code == "clip_too_short"
    assert refused.value.hint


def test_without_the_weights_that_clone_every_clip_is_refused_as_unsupported(subject, monkeypatch):
    """A checkpoint may lack them: then the opened engine's info says so, and `extract` does."""
    monkeypatch.setattr(subject.engine, "info", replace(subject.engine.info, clones_clips=False))
    with pytest.raises(ClipsUnsupported, match="built-in voices only") as refused:
        subject.engine.extract(subject.clips[0], subject.transcript)
    assert (refused.value.code, refused.value.parameter) == ("clips_unsupported", "clip") and refused.value.hint
