"""An engine that nobody wants says in its row when it will be unloaded."""

from studio.running.offer.memory_check import SMALL_BYTES
from studio.ui.engines.engine_cards import cards_value
from tests.stand_ins.fake_engine import FakeEngine


class LargeEngine(FakeEngine):
    """One that would free memory."""

    def memory_bytes(self) -> int:
        return SMALL_BYTES


def test_the_card_of_an_idle_engine_says_when_it_is_unloaded(open_studio):
    studio = open_studio(LargeEngine(), unload_after_minutes=10)
    assert idle_seconds(studio) is None
    studio.load()
    assert idle_seconds(studio) == 600


def test_without_a_limit_or_memory_to_free_no_card_speaks_of_it(open_studio):
    for engine, minutes in ((LargeEngine(), 0), (FakeEngine(), 10)):
        studio = open_studio(engine, str(minutes), unload_after_minutes=minutes)
        studio.load()
        assert idle_seconds(studio) is None


def idle_seconds(studio) -> int | None:
    return cards_value(studio)["cards"][0]["unloads_in_seconds"]
