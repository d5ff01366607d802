"""Who of many replicas has a voice: the same in every process, and unmoved by others that come and go."""

from collections import Counter

from studio.running.rendezvous import cascaded, ranked

MEMBERS = ["a1", "b2", "c3", "d4"]
KEYS = [f"voice {number}" for number in range(400)]


def names(members: list[str], key: str) -> list[str]:
    return [members[place] for place in ranked(members, key)]


def test_every_process_ranks_alike_whatever_order_members_come_in():
    assert all(names(MEMBERS, key) == names(MEMBERS[::-1], key) for key in KEYS)


def test_when_a_member_goes_only_its_keys_go_elsewhere_each_to_its_second():
    left = [member for member in MEMBERS if member != "b2"]
    for key in KEYS:
        before = names(MEMBERS, key)
        assert names(left, key)[0] == (before[1] if before[0] == "b2" else before[0])


def test_keys_are_spread_evenly():
    counts = Counter(names(MEMBERS, key)[0] for key in KEYS)
    assert sorted(counts) == MEMBERS
    assert min(counts.values()) > 0.7 * len(KEYS) / len(MEMBERS)


def test_a_key_goes_down_its_order_to_the_first_that_has_room_else_to_who_has_fewest():
    assert cascaded([2, 0, 1], depths=[1, 0, 7], spill_at=8) == [2, 0, 1]
    assert cascaded([2, 0, 1], depths=[1, 0, 8], spill_at=8) == [0, 1, 2]
    assert cascaded([2, 0, 1], depths=[8, 0, 9], spill_at=8) == [1, 0, 2]
    assert cascaded([2, 0, 1], depths=[9, 8, 8], spill_at=8) == [2, 1, 0]
    assert cascaded([0], depths=[100], spill_at=8) == [0]
