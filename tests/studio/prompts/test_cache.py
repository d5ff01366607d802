"""SpeakerCache: key, owners, single flight, forgetting, bounds, counters."""

import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from engines.contract.prompt import SpeakerPrompt
from studio.prompt_key import PromptKey
from studio.prompts.cache import SpeakerCache
from studio.speakers.registry import LiveGenerations
from studio.speakers.speaker import Generation

ALICE, BOB = Generation("alice", "a" * 32), Generation("bob", "b" * 32)


def key(name: str = "clip", engine: str = "fake") -> PromptKey:
    return PromptKey(engine, "1", "weights", "fp32", name)


def prompt(n_bytes: int = 400) -> SpeakerPrompt:
    return SpeakerPrompt("fake", "1", "weights", "fp32", "clip", {"x": np.zeros(n_bytes // 4, np.float32)})


class Live(LiveGenerations):
    """The store's part: which generations may own prompts."""

    def __init__(self, generations: Iterable[Generation]):
        super().__init__()
        self._generations = set(generations)
        self._publish()

    def discard(self, generation: Generation) -> None:
        self._generations.discard(generation)
        self._publish()

    def _publish(self) -> None:
        self.publish({generation.key: generation.id for generation in self._generations})


def make(*, max_bytes: int = 10_000, max_entries: int = 100, live=(ALICE, BOB), on_drop=lambda key, prompt: None):
    generations = Live(live)
    cache = SpeakerCache(generations, max_bytes=max_bytes, max_entries=max_entries)
    cache.when_dropped(on_drop)
    return cache, generations


class Held:
    """An extraction that begins, and ends when the test lets it: with a prompt, or with an error."""

    def __init__(self, error: Exception | None = None):
        self.times = 0
        self._error = error
        self._begun, self._go_on = threading.Event(), threading.Event()

    def __call__(self) -> SpeakerPrompt:
        self.times += 1
        self._begun.set()
        assert self._go_on.wait(60)
        if self._error is not None:
            raise self._error
        return prompt()

    def wait_until_begun(self) -> None:
        assert self._begun.wait(60)

    def let_go(self) -> None:
        self._go_on.set()


def fail(*_args):
    raise AssertionError("must not be called")


def test_second_lookup_is_a_hit_and_extracts_nothing():
    cache, _ = make()
    first = cache.get_or_extract(key(), prompt, owner=ALICE)
    second = cache.get_or_extract(key(), fail, owner=ALICE)
    assert (first.outcome, second.outcome) == ("miss", "hit")
    assert second.prompt is first.prompt


def test_what_is_handed_out_cannot_be_changed():
    cache, _ = make()
    handed = cache.get_or_extract(key(), prompt, owner=ALICE).prompt
    with pytest.raises(ValueError, match="read-only"):
        handed.tensors["x"][0] = 1.0
    with pytest.raises(TypeError):
        handed.tensors["y"] = handed.tensors["x"]


def test_sixteen_callers_who_miss_together_cause_one_extraction():
    cache, _ = make()
    together = threading.Barrier(16)
    extract = Held()

    def ask():
        together.wait()
        return cache.get_or_extract(key(), extract, owner=ALICE)

    with ThreadPoolExecutor(16) as callers:
        asked = [callers.submit(ask) for _ in range(16)]
        extract.wait_until_begun()
        while cache.stats().joined < 15:
            pass
        extract.let_go()
        lookups = [future.result(60) for future in asked]
    assert extract.times == 1
    assert sorted(lookup.outcome for lookup in lookups) == ["joined"] * 15 + ["miss"]
    assert len({id(lookup.prompt) for lookup in lookups}) == 1
    assert cache.stats().extractions == 1
    assert cache.stats().in_flight == 0


def test_the_leaders_failure_reaches_all_who_wait_and_is_not_remembered():
    cache, _ = make()
    extract = Held(OSError("no luck"))

    with ThreadPoolExecutor(2) as callers:
        leader = callers.submit(cache.get_or_extract, key(), extract, owner=ALICE)
        extract.wait_until_begun()
        follower = callers.submit(cache.get_or_extract, key(), fail, owner=ALICE)
        while not cache.stats().joined:
            pass
        extract.let_go()
        for future in (leader, follower):
            with pytest.raises(OSError, match="no luck"):
                future.result(60)
    assert cache.get_or_extract(key(), prompt, owner=ALICE).outcome == "miss"


def test_disk_comes_before_extraction_and_is_counted_apart():
    cache, _ = make()
    assert cache.get_or_extract(key(), fail, owner=ALICE, read=prompt).outcome == "disk"
    assert cache.get_or_extract(key(), fail, owner=ALICE, read=fail).outcome == "hit"
    stats = cache.stats()
    assert (stats.disk_hits, stats.misses, stats.hits, stats.extractions) == (1, 0, 1, 0)


def test_forgetting_drops_what_has_no_other_owner_for_all_engines():
    dropped = []
    cache, live = make(on_drop=lambda key, prompt: dropped.append(key))
    for engine in ("one", "two"):
        cache.get_or_extract(key("mine", engine), prompt, owner=ALICE)
    cache.get_or_extract(key("shared"), prompt, owner=ALICE)
    cache.get_or_extract(key("shared"), fail, owner=BOB)
    live.discard(ALICE)
    cache.forget(ALICE)
    assert cache.contains(key("shared"))
    assert sorted(k.engine for k in dropped) == ["one", "two"]
    assert cache.stats().entries == 1
    live.discard(BOB)
    cache.forget(BOB)
    assert cache.stats().entries == cache.stats().memory_bytes == 0


def test_forget_beats_an_extraction_in_flight():
    cache, live = make()
    extract = Held()

    with ThreadPoolExecutor(1) as callers:
        asked = callers.submit(cache.get_or_extract, key(), extract, owner=ALICE)
        extract.wait_until_begun()
        live.discard(ALICE)
        cache.forget(ALICE)
        extract.let_go()
        lookup = asked.result(60)
    assert lookup.outcome == "miss"
    assert not lookup.adopted
    assert cache.stats().entries == 0
    assert cache.stats().rejected == 1


def test_forgetting_alone_beats_an_extraction_in_flight():
    """Whoever forgets need not have told first that the generation is gone."""
    cache, _ = make()
    extract = Held()

    with ThreadPoolExecutor(1) as callers:
        asked = callers.submit(cache.get_or_extract, key(), extract, owner=ALICE)
        extract.wait_until_begun()
        cache.forget(ALICE)
        extract.let_go()
        assert not asked.result(60).adopted
    assert cache.stats().entries == 0


def test_a_generation_that_is_gone_owns_nothing_of_what_it_finds():
    cache, live = make()
    cache.get_or_extract(key(), prompt, owner=ALICE)
    live.discard(BOB)
    assert not cache.get_or_extract(key(), fail, owner=BOB).adopted
    live.discard(ALICE)
    cache.forget(ALICE)
    assert cache.stats().entries == 0


def test_a_generation_that_is_no_longer_live_is_served_and_not_stored():
    cache, _ = make(live=())
    assert cache.get_or_extract(key(), prompt, owner=ALICE).outcome == "miss"
    assert cache.stats().entries == 0


def test_a_generation_that_goes_during_its_extraction_without_being_forgotten_is_not_stored():
    """Removed, and whoever removed it has not come to `forget` yet, or never will."""
    cache, live = make()
    extract = Held()

    with ThreadPoolExecutor(1) as callers:
        asked = callers.submit(cache.get_or_extract, key(), extract, owner=ALICE)
        extract.wait_until_begun()
        live.discard(ALICE)
        extract.let_go()
        lookup = asked.result(60)
    assert not lookup.adopted
    assert cache.stats().entries == 0
    assert cache.stats().rejected == 1


def test_of_two_who_wait_for_one_extraction_only_the_one_that_is_still_live_owns_it():
    cache, live = make()
    extract = Held()

    with ThreadPoolExecutor(2) as callers:
        leader = callers.submit(cache.get_or_extract, key(), extract, owner=ALICE)
        extract.wait_until_begun()
        callers.submit(cache.get_or_extract, key(), fail, owner=BOB)
        while not cache.stats().joined:
            pass
        live.discard(ALICE)
        extract.let_go()
        leader.result(60)
    assert (cache.engines_of(ALICE), cache.engines_of(BOB)) == ({}, {"fake": 400})


def test_a_joiner_that_is_live_keeps_the_prompt_when_the_leader_is_forgotten():
    cache, live = make()
    extract = Held()

    with ThreadPoolExecutor(2) as callers:
        leader = callers.submit(cache.get_or_extract, key(), extract, owner=ALICE)
        extract.wait_until_begun()
        joiner = callers.submit(cache.get_or_extract, key(), fail, owner=BOB)
        while not cache.stats().joined:
            pass
        live.discard(ALICE)
        cache.forget(ALICE)
        extract.let_go()
        assert leader.result(60).prompt is joiner.result(60).prompt
    assert cache.engines_of(BOB) == {"fake": 400}
    assert cache.engines_of(ALICE) == {}


def test_anonymous_entries_are_evicted_before_owned_ones_then_the_least_recently_used():
    cache, _ = make(max_bytes=1_200)
    cache.get_or_extract(key("owned, oldest"), prompt, owner=ALICE)
    cache.get_or_extract(key("inline"), prompt)
    cache.get_or_extract(key("owned, newer"), prompt, owner=BOB)
    cache.get_or_extract(key("newcomer"), prompt, owner=BOB)
    assert not cache.contains(key("inline"))
    cache.get_or_extract(key("owned, oldest"), fail, owner=ALICE)  # now it is the most recently used
    cache.get_or_extract(key("one more"), prompt, owner=BOB)
    assert not cache.contains(key("owned, newer"))
    assert cache.contains(key("owned, oldest"))
    assert cache.stats().evictions == 2
    assert cache.stats().memory_bytes == 1_200


def test_an_inline_newcomer_does_not_push_out_itself_but_the_least_recently_used():
    cache, _ = make(max_entries=1)
    cache.get_or_extract(key("first"), prompt, owner=ALICE)
    cache.get_or_extract(key("second"), prompt)
    assert cache.contains(key("second"))


def test_the_number_of_entries_is_bounded():
    cache, _ = make(max_entries=8, max_bytes=10**9)
    for index in range(100):
        cache.get_or_extract(key(str(index)), prompt, owner=ALICE)
    assert cache.stats().entries == 8
    assert cache.stats().evictions == 92


def test_an_entry_larger_than_the_budget_is_served_and_not_stored():
    cache, _ = make(max_bytes=1_000)
    cache.get_or_extract(key("small"), prompt, owner=ALICE)
    assert cache.get_or_extract(key("large"), lambda: prompt(2_000), owner=ALICE).prompt.storage_bytes == 2_000
    assert not cache.contains(key("large"))
    assert cache.contains(key("small"))
    assert cache.stats().rejected == 1


def test_a_view_does_not_keep_its_whole_storage_alive():
    base = np.zeros(1_000_000, np.float32)
    held = SpeakerPrompt("fake", "1", "weights", "fp32", "clip", {"x": base[:4]})
    assert held.tensors["x"].base is None
    assert held.storage_bytes == 16


def test_lookups_are_partitioned_and_the_engines_add_up_to_the_totals():
    cache, _ = make()
    for engine in ("one", "two"):
        for name in ("a", "b", "a"):
            cache.get_or_extract(key(name, engine), prompt, owner=ALICE)
    with pytest.raises(OSError, match="no"):
        cache.get_or_extract(key("bad", "one"), lambda: (_ for _ in ()).throw(OSError("no")), owner=ALICE)
    stats = cache.stats()
    assert stats.hits + stats.misses + stats.joined + stats.disk_hits == stats.lookups == 7
    assert stats.extractions == 4
    for counter in ("entries", "memory_bytes", "hits", "misses", "extractions", "rejected", "evictions"):
        assert getattr(stats, counter) == sum(getattr(engine, counter) for engine in stats.engines.values())


def test_the_same_clip_in_another_precision_revision_or_transcript_is_another_entry():
    base = PromptKey("fake", "1", "w", "fp32", "clip", "")
    others = [
        PromptKey("other", "1", "w", "fp32", "clip", ""),
        PromptKey("fake", "2", "w", "fp32", "clip", ""),
        PromptKey("fake", "1", "v", "fp32", "clip", ""),
        PromptKey("fake", "1", "w", "bf16", "clip", ""),
        PromptKey("fake", "1", "w", "fp32", "klip", ""),
        PromptKey("fake", "1", "w", "fp32", "clip", "words"),
    ]
    assert len({base, *others}) == 7
    assert len({base.digest, *(other.digest for other in others)}) == 7


def test_a_better_prompt_takes_the_place_with_owners_pin_hits_and_bytes_and_the_old_one_is_told_to_be_gone():
    told = []
    cache, _ = make(on_drop=lambda key, prompt: told.append(prompt))
    old = cache.get_or_extract(key(), prompt, owner=ALICE).prompt
    for owner in (ALICE, BOB):
        cache.get_or_extract(key(), fail, owner=owner)
    cache.pin(key())
    version, better = cache.version, prompt(800)
    assert cache.replace(key(), old, better) == {ALICE, BOB}
    [entry] = cache.look()[0]
    assert (entry.owners, entry.n_hits, entry.pinned, entry.n_bytes) == ({ALICE, BOB}, 2, True, 800)
    assert (cache.peek(key()), cache.stats().memory_bytes, told) == (better, 800, [old])
    assert cache.version > version
    assert cache.contains(key(), better) and not cache.contains(key(), old)


def test_what_is_no_longer_there_is_not_replaced():
    cache, _ = make()
    old = cache.get_or_extract(key(), prompt, owner=ALICE).prompt
    cache.forget(ALICE)
    assert cache.replace(key(), old, prompt()) is None and not cache.contains(key())
    newer = cache.get_or_extract(key(), prompt, owner=BOB).prompt
    assert cache.replace(key(), old, prompt()) is None and cache.peek(key()) is newer


def test_a_larger_one_makes_others_go_and_the_same_tensors_stay_prepared():
    told = []
    cache, _ = make(max_bytes=1_000, on_drop=lambda key, prompt: told.append(key))
    cache.get_or_extract(key("other"), prompt, owner=ALICE)
    old = cache.get_or_extract(key(), prompt, owner=ALICE).prompt
    cache.replace(key(), old, replace(old, facts={"learned_seconds": 1.0}))
    assert told == []
    cache.replace(key(), cache.peek(key()), prompt(800))
    assert (told, cache.stats().memory_bytes, cache.stats().evictions) == ([key("other"), key()], 800, 1)
