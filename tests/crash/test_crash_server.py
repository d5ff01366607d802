"""A few rounds of killing the whole studio; `python -m tests.crash.crash_server --rounds 50` is the long form."""

from tests.crash.crash_server import run


def test_a_killed_studio_starts_again_with_everything_it_acknowledged_and_serves_nothing_half_written():
    report = run(n_rounds=2, seed=3)
    assert report.rounds == 2
    assert report.answered > 0
    assert report.interrupted
