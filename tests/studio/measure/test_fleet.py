"""The fleet: nobody is lost, affinity pays where it should, and where formulas apply the simulation says what they say."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from studio.measure.fleet.demand import Demand, Habits
from studio.measure.fleet.engine_costs import EngineCosts
from studio.measure.fleet.fleet_plan import FleetPlan
from studio.measure.fleet.fleet_run import simulate, simulate_at_once
from studio.measure.fleet.paper import erlang_c, lru_hit_rate, mean_wait, on_paper
from studio.measure.fleet.routing import EXACT_UP_TO, ByVoice
from studio.measure.fleet.sizing import Goal, size_fleet
from studio.measure.fleet.voice_cache import VoiceCache
from studio.running.rendezvous import cascaded, ranked

COSTS = EngineCosts(
    frame_seconds=0.08, step_seconds={1: 0.010, 4: 0.012}, first_audio_seconds=0.02, chunk_seconds=0.08, extract_seconds=0.1,
    prepare_seconds=0.02, disk_seconds=0.001, prompt_bytes=16_000, prepared_bytes=1_000_000, prepared_voices=8,
)  # fmt: skip
HABITS = Habits(n_listeners=30, voices=100)
PLAN = FleetPlan(n_replicas=4)
ROUTINGS = ("affinity", "two choices")


@pytest.mark.parametrize("routing", ROUTINGS)
@pytest.mark.parametrize("shape", ["split", "whole"])
def test_every_speech_is_heard_or_refused(routing, shape):
    for habits in (HABITS, replace(HABITS, n_listeners=400, new_share=0.05)):  # the second are more than can be fed
        plan = replace(PLAN, routing=routing, shape=shape, most_waiting=16, most_wait_seconds=2.0)
        outcome = simulate(COSTS, plan, habits, n_speeches=300)
        assert outcome.asked == outcome.heard + outcome.refused == 300
        assert bool(outcome.refused) == (habits is not HABITS)


def test_the_same_seed_gives_the_same_and_another_another():
    one, same, other = (simulate(COSTS, PLAN, HABITS, n_speeches=100, seed=seed).ttfp_seconds for seed in (3, 3, 4))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_affinity_raises_the_hit_rate():
    hits = {routing: simulate(COSTS, replace(PLAN, routing=routing), HABITS, n_speeches=600).prepared_hit_rate for routing in ROUTINGS}
    assert hits["affinity"] > hits["two choices"] + 0.1


def test_a_voice_asked_for_by_most_goes_down_its_ranking_instead_of_piling_up():
    """Every other request is for the same voice, which no single replica can speak, nor two."""
    habits = replace(HABITS, n_listeners=150, voices=2, zipf=0.0)
    plans = (replace(PLAN, n_replicas=8, spill_at=spill_at) for spill_at in (8, 10_000))
    spread, piled = (simulate(COSTS, plan, habits, n_speeches=500).ttfp(95) for plan in plans)
    assert spread < piled / 2


@pytest.mark.parametrize("routing", ROUTINGS)
def test_more_replicas_are_never_worse(routing):
    waits = [simulate(COSTS, replace(PLAN, n_replicas=n, routing=routing), HABITS, n_speeches=300).ttfp_seconds.mean() for n in (2, 3, 6)]
    assert all(more <= fewer * 1.01 for fewer, more in pairwise(waits))


def test_a_cache_hits_what_ches_approximation_says():
    """Within two hundredths, over exponents and sizes."""
    for zipf in (0.6, 0.8, 1.1):
        habits = replace(HABITS, voices=300, zipf=zipf, new_share=0.0)
        voices = Demand.drawn(habits, 10_000, 0).voices.tolist()
        for size in (5, 40, 150):
            cache = VoiceCache(size)
            hits = [cache.use(voice) for voice in voices][2_000:]
            assert sum(hits) / len(hits) == pytest.approx(lru_hit_rate(habits.popularity(), size), abs=0.02)
    assert lru_hit_rate(np.ones(10) / 10, 10) == 1.0
    assert lru_hit_rate(np.ones(10) / 10, 0) == 0.0


def test_a_fleet_without_affinity_hits_what_one_cache_of_its_size_does_and_with_it_what_one_of_all_their_room_does():
    habits, few = replace(HABITS, n_listeners=20, voices=200, new_share=0.0), replace(PLAN, n_replicas=4)
    for routing in ("affinity", "two choices"):
        plan = replace(few, routing=routing)
        outcome = simulate(COSTS, plan, habits, n_speeches=2500)
        assert outcome.prepared_hit_rate == pytest.approx(on_paper(COSTS, plan, habits).prepared_hit_rate, abs=0.03)


def test_a_memoryless_line_waits_as_erlang_says():
    """One replica whose streams each have a row at one pace, of exponential lengths: M/M/4. Mean within a tenth, who waits within 0.03."""
    costs = replace(
        COSTS, step_seconds={1: 0.004, 4: 0.004}, frame_seconds=0.01, chunk_seconds=0.01, first_audio_seconds=0.004, prepare_seconds=0.0
    )
    habits = Habits(n_listeners=6, voices=2, speech_seconds=5.0, lengths="exponential", new_share=0.0)  # 1.2 a second of 2.0 s each
    outcome = simulate(costs, FleetPlan(1, admission="slots", most_waiting=10_000, most_wait_seconds=1e9), habits, n_speeches=25_000)
    waits = outcome.ttfp_seconds - outcome.ttfp_seconds.min()
    assert waits.mean() == pytest.approx(mean_wait(4, 1.2, 2.0), rel=0.1)
    assert (waits > 0.01).mean() == pytest.approx(erlang_c(4, 2.4), abs=0.03)


def test_erlang_is_as_in_the_tables():
    assert erlang_c(1, 0.5) == pytest.approx(0.5)  # of M/M/1, who waits is the load
    assert erlang_c(10, 8.0) == pytest.approx(0.409, abs=1e-3)
    assert erlang_c(2, 2.0) == 1.0


def test_two_choices_lie_between_one_pool_and_a_line_at_each():
    habits, plan = Habits(95, 50, new_share=0.0, lengths="exponential"), FleetPlan(4, "two choices", admission="slots")
    costs = replace(COSTS, step_seconds={1: 0.012, 4: 0.012}, prepare_seconds=0.0)
    pooled, apart = on_paper(costs, plan, habits).ttfp_seconds[95.0]
    assert pooled * 0.9 <= simulate(costs, plan, habits, n_speeches=2000).ttfp(95) <= apart


def test_the_fleet_ranks_replicas_as_the_router_does():
    """By name and key, whatever order they are told in; down the order where replicas have so many."""
    names = [f"replica-{index}" for index in range(EXACT_UP_TO)]
    by_voice = ByVoice(EXACT_UP_TO, 8)
    assert all(by_voice.ranking(voice) == ranked(names, str(voice)) for voice in range(20))
    first, second = ranked(names, "7")[:2]
    depths = [0] * EXACT_UP_TO
    for depth, chosen in ((7, first), (8, second)):
        depths[first] = depth
        assert by_voice.choose(7, depths) == cascaded(ranked(names, "7"), depths, 8)[0] == chosen


def test_many_replicas_get_their_share_of_voices_as_few_do():
    """Beyond EXACT_UP_TO another mixing of numbers ranks: each of 200 has its share of 20,000 voices, within what chance allows."""
    counts = np.bincount([ByVoice(200, 8).ranking(voice)[0] for voice in range(2000)], minlength=200)
    assert np.sum((counts - 10) ** 2 / 10) < 271  # chi squared of 199 degrees, one in 2,000


def test_whoever_listens_to_the_end_and_asks_again_is_never_more_than_once_at_the_engine():
    outcome = simulate_at_once(COSTS, FleetPlan(1), replace(HABITS, n_listeners=4, lengths="constant"), rounds=5)
    assert (outcome.heard, outcome.refused) == (20, 0)
    assert outcome.ended_at > 4 * HABITS.speech_seconds


def test_a_peak_brings_as_many_a_day_but_not_at_night():
    drawn = [Demand.drawn(replace(HABITS, peak=peak, day_seconds=100.0), 4000, 0).at for peak in (1.0, 2.0)]
    assert drawn[1][-1] == pytest.approx(drawn[0][-1], rel=0.02)
    of_day = drawn[1] % 100.0
    assert np.sum((of_day > 15) & (of_day < 35)) > 20 * np.sum((of_day > 65) & (of_day < 85))


def test_a_fleet_is_sized_to_its_goal_and_none_is_found_where_no_number_helps():
    goal = Goal(0.3)
    sized = size_fleet(COSTS, PLAN, HABITS, goal, n_speeches=300)
    assert goal.is_met(sized.outcome)
    assert size_fleet(COSTS, PLAN, HABITS, Goal(0.001), n_speeches=50) is None
    slow = replace(COSTS, step_seconds={1: 0.09, 4: 0.1})
    assert size_fleet(slow, PLAN, HABITS, goal, n_speeches=50) is None
