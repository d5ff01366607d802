"""prompt_status: which of several facts about a prompt is shown."""

from dataclasses import replace

from studio.prompt_key import Extractor, PromptKey
from studio.prompts.activity import Failure
from studio.prompts.cache import CachedPrompt, PromptInFlight
from studio.prompts.refiner import Learning
from studio.prompts.status import Incompatibility, StatusFacts, prompt_status, why_stale
from tests.stand_ins.fake_engine import INFO

NOW = PromptKey("fake", "1", "weights", "fp32", "clip")
OLD = replace(NOW, extractor_revision="0")
FACTS = StatusFacts(INFO, "clip", "", Extractor(INFO, "weights", "fp32"))
CURRENT, OUTDATED = (CachedPrompt(key, frozenset(), 400, 2, False) for key in (NOW, OLD))


def state(**facts) -> str:
    return prompt_status(replace(FACTS, **facts)).state


def test_what_is_under_way_comes_before_all_else():
    flight = PromptInFlight(NOW, frozenset(), learning=True)
    assert state(flights=(flight,), cached=(CURRENT,), failure=Failure("x", "y")) == "extracting"
    assert state(flights=(replace(flight, learning=False),), cached=(CURRENT,)) == "queued"
    assert state(asked=True, cached=(CURRENT,)) == "queued"


def test_what_can_be_used_comes_before_what_went_wrong():
    trouble = {"failure": Failure("x", "y"), "incompatibility": Incompatibility("x", "y")}
    assert state(cached=(OUTDATED, CURRENT), stored=((NOW, 800),), **trouble) == "memory"
    assert state(cached=(OUTDATED,), stored=((OLD, 800), (NOW, 800)), **trouble) == "disk"


def test_what_is_in_memory_is_being_refined_while_its_voice_is_in_the_line_and_tells_why_it_is_no_longer():
    under_way, best = Learning(8, 48, 30.0, is_under_way=True), Learning(48, 48, 0.0)
    assert state(cached=(CURRENT,), learning=under_way) == "refining"
    assert state(cached=(CURRENT,), learning=best) == "memory"
    status = prompt_status(replace(FACTS, cached=(CURRENT,), learning=Learning(8, 48), refusal=Failure("Noise.", "Record again.", "clip")))
    assert (status.state, status.learning, status.fact, status.parameter) == ("memory", Learning(8, 48), "Noise.", "clip")
    assert prompt_status(replace(FACTS, stored=((NOW, 800),))).learning is None


def test_what_went_wrong_comes_before_what_stands_in_the_way_and_that_before_what_is_old():
    assert state(failure=Failure("x", "y"), incompatibility=Incompatibility("x", "y"), cached=(OUTDATED,)) == "failed"
    assert state(incompatibility=Incompatibility("x", "y"), stored=((OLD, 800),)) == "unsupported"
    assert state(stored=((OLD, 800),)) == state(cached=(OUTDATED,)) == "stale"
    assert state() == "none"


def test_the_bytes_are_all_that_is_held_and_the_hits_those_of_what_is_used():
    status = prompt_status(replace(FACTS, cached=(OUTDATED, replace(CURRENT, n_hits=7)), stored=((OLD, 800), (NOW, 900))))
    assert (status.memory_bytes, status.disk_bytes, status.n_hits) == (800, 1_700, 7)


def test_a_prompt_of_another_recording_is_never_taken_for_the_speakers():
    other = replace(NOW, source_digest="another clip")
    assert state(stored=((other, 800),)) == "stale"
    assert why_stale(other, FACTS) == ("stale_recording", "It was learned from another recording")


def test_without_an_opened_engine_its_weights_are_not_held_against_a_prompt():
    other = replace(NOW, weights_fingerprint="others", numeric_mode="bf16")
    assert why_stale(other, FACTS) == ("stale_weights", "It was made with other weights than Fake has now")
    assert why_stale(other, replace(FACTS, extractor=None)) is None
