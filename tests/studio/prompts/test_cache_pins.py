"""SpeakerCache: hits of one entry, pins and their bound, and the version that moves with every change."""

import pytest

from studio.errors import PinsFull
from tests.studio.prompts.test_cache import ALICE, BOB, fail, key, make, prompt


def entries(cache) -> dict:
    return {cached.key: cached for cached in cache.look()[0]}


def fill(cache, *names: str) -> None:
    for name in names:
        cache.get_or_extract(key(name), prompt, owner=ALICE)


def test_each_entry_counts_the_lookups_that_found_it():
    cache, _ = make()
    fill(cache, "a", "b", "b", "b")
    assert [entries(cache)[key(name)].n_hits for name in ("a", "b")] == [0, 2]
    cache.drop(key("b"))
    fill(cache, "b")
    assert entries(cache)[key("b")].n_hits == 0


def test_a_pinned_entry_outlives_what_would_evict_it():
    cache, _ = make(max_bytes=1_600)
    fill(cache, "kept", "other")
    assert cache.pin(key("kept"))
    fill(cache, *(f"newcomer {number}" for number in range(20)))
    assert cache.contains(key("kept"))
    assert not cache.contains(key("other"))
    assert cache.unpin(key("kept"))
    fill(cache, *(f"later {number}" for number in range(4)))
    assert not cache.contains(key("kept"))


def test_a_pin_that_would_fill_the_cache_is_refused_with_numbers():
    cache, _ = make(max_bytes=1_600)
    fill(cache, "a", "b", "c", "d")
    for name in ("a", "b", "c"):
        assert cache.pin(key(name))
    with pytest.raises(PinsFull) as refused:
        cache.pin(key("d"))
    assert refused.value.fact == "What is kept in memory may have 1.2 kB, and this voice needs 400 B more: 1200 bytes are pinned."
    assert "SPEAKER_CACHE_MAX_BYTES" in refused.value.hint
    assert cache.pin(key("a")), "what is pinned already may be pinned again"
    assert (cache.stats().pinned, cache.stats().pinned_bytes) == (3, 1_200)


def test_a_pin_beyond_the_share_of_entries_is_refused_with_numbers():
    cache, _ = make(max_entries=4)
    fill(cache, "a", "b", "c", "d")
    for name in ("a", "b", "c"):
        cache.pin(key(name))
    with pytest.raises(PinsFull, match="3 voices are kept in memory, and no more can be"):
        cache.pin(key("d"))


def test_a_newcomer_for_which_only_pinned_entries_could_leave_is_served_and_evicts_nothing():
    cache, _ = make(max_bytes=1_600)
    fill(cache, "a", "b", "small")
    cache.pin(key("a"))
    cache.pin(key("b"))
    assert cache.get_or_extract(key("large"), lambda: prompt(1_000), owner=BOB).outcome == "miss"
    assert sorted(cached.key.source_digest for cached in entries(cache).values()) == ["a", "b", "small"]
    assert cache.stats().rejected == 1


def test_forgetting_and_dropping_are_stronger_than_a_pin():
    cache, live = make()
    fill(cache, "a", "b")
    cache.pin(key("a"))
    cache.pin(key("b"))
    cache.drop(key("a"))
    live.discard(ALICE)
    cache.forget(ALICE)
    assert cache.look() == ((), ())


def test_what_is_not_in_memory_cannot_be_pinned():
    cache, _ = make()
    assert not cache.pin(key("nothing"))
    assert not cache.unpin(key("nothing"))


def test_an_extraction_waits_until_the_engine_says_that_it_learns():
    cache, _ = make()
    seen = []

    def extract():
        seen.append(cache.look()[1][0].learning)
        cache.learning(key())
        seen.append(cache.look()[1][0].learning)
        return prompt()

    cache.get_or_extract(key(), extract, owner=ALICE)
    assert seen == [False, True]
    cache.learning(key())  # over already
    assert cache.look()[1] == ()


CHANGES = {
    "a miss": lambda cache, live: cache.get_or_extract(key("new"), prompt, owner=ALICE),
    "a hit": lambda cache, live: cache.get_or_extract(key(), fail, owner=ALICE),
    "a pin": lambda cache, live: cache.pin(key()),
    "an unpin": lambda cache, live: cache.unpin(key()),
    "a drop": lambda cache, live: cache.drop(key()),
    "a forgotten owner": lambda cache, live: (live.discard(ALICE), cache.forget(ALICE)),
    "a cost": lambda cache, live: cache.took("fake", 0.1),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_version_moves_with(change):
    cache, live = make()
    cache.get_or_extract(key(), prompt, owner=ALICE)
    before = cache.version
    CHANGES[change](cache, live)
    assert cache.version != before


def test_the_version_moves_while_an_extraction_is_under_way_and_stands_still_for_looks():
    cache, _ = make()
    versions = [cache.version]

    def extract():
        versions.append(cache.version)
        cache.learning(key())
        versions.append(cache.version)
        raise OSError("no luck")

    with pytest.raises(OSError, match="no luck"):
        cache.get_or_extract(key(), extract, owner=ALICE)
    versions.append(cache.version)
    assert len(set(versions)) == 4
    cache.look()
    cache.stats()
    cache.contains(key())
    assert cache.version == versions[-1]
