"""Guessing keys: how often, from where, and who is kept out by it."""

import itertools

import pytest

from studio.web.access import MOST_ADDRESSES, MOST_WRONG, RECOVERY_SECONDS, SESSION_COOKIE, Access, KeyCheck, WrongKeys

HERE, ELSEWHERE = "203.0.113.7", "203.0.113.8"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def keys(clock) -> KeyCheck:
    return KeyCheck(Access(("first", "second")), clock)


def request(key: str = "", *, address: str = HERE, cookie: str = "", scheme: str = "Bearer") -> dict:
    headers = [(b"authorization", f"{scheme} {key}".encode())] * bool(key) + [(b"cookie", cookie.encode())]
    return {"type": "http", "headers": headers, "client": (address, 1)}


GUESSES = itertools.count()


def guess(keys: KeyCheck, n: int, address: str = HERE) -> None:
    """No key twice."""
    for _ in range(n):
        assert not keys.admits(request(f"guess {next(GUESSES)}", address=address))


def test_after_ten_wrong_keys_an_address_guesses_once_in_thirty_seconds(keys, clock):
    guess(keys, MOST_WRONG)
    for _ in range(3):
        with pytest.raises(WrongKeys) as slowed:
            keys.admits(request("guess"))
        assert slowed.value.seconds == RECOVERY_SECONDS
        with pytest.raises(WrongKeys):  # not even told whether it is right
            keys.admits(request("first"))
        clock.now += RECOVERY_SECONDS
        guess(keys, 1)
    clock.now += MOST_WRONG * RECOVERY_SECONDS
    guess(keys, MOST_WRONG)


def test_the_form_and_bearer_tokens_are_counted_together(keys):
    for i in range(MOST_WRONG // 2):
        assert keys.open_session(f"guess {i}", request()) is None
        guess(keys, 1)
    with pytest.raises(WrongKeys):
        keys.open_session("first", request())


def test_nobody_is_kept_out_by_what_is_guessed_elsewhere_or_once_a_key_was_right(keys):
    assert keys.admits(request("second"))
    guess(keys, MOST_WRONG)
    assert keys.admits(request("first", address=ELSEWHERE))
    assert keys.admits(request("second"))  # a program at the same address goes on
    session = Access(("first",)).open_session("first")
    assert keys.admits(request(cookie=f"{SESSION_COOKIE}={session}"))
    with pytest.raises(WrongKeys):
        keys.admits(request("first"))


def test_a_program_that_goes_on_with_a_key_of_yesterday_keeps_nobody_out(keys, clock):
    for _ in range(3 * MOST_WRONG):
        assert not keys.admits(request("yesterday's"))
        assert keys.open_session("yesterday's", request()) is None
    guess(keys, MOST_WRONG - 1)
    with pytest.raises(WrongKeys):
        guess(keys, 1)
    assert not keys.admits(request("yesterday's"))


def test_what_offers_no_key_is_no_guess(keys):
    for _ in range(3 * MOST_WRONG):
        assert not keys.admits(request())
        assert not keys.admits(request("dXNlcjpwYXNz", scheme="Basic"))  # meant for a proxy
        assert not keys.admits(request(cookie=f"{SESSION_COOKIE}=1.2"))
    assert keys.admits(request("first"))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::ffff", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:203.0.113.7", "203.0.113.7", True),
        ("", "", True),
    ],
)
def test_addresses_of_one_household_are_one(keys, one, other, same):
    guess(keys, MOST_WRONG, one)
    if same:
        with pytest.raises(WrongKeys):
            keys.admits(request("guess", address=other))
    else:
        guess(keys, 1, other)


def test_what_is_remembered_is_bounded(keys):
    for i in range(MOST_ADDRESSES + 10):
        guess(keys, 1, f"10.0.{i >> 8}.{i & 255}")
        assert keys.admits(request("first", address=f"10.1.{i >> 8}.{i & 255}"))
    assert len(keys._wrong) == len(keys._right) == len(keys._told_wrong) == MOST_ADDRESSES
