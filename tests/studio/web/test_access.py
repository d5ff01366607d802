"""Access: keys and the sessions made from them."""

from studio.web.access import SESSION_COOKIE, SESSION_SECONDS, Access


def test_without_keys_everybody_is_admitted():
    assert Access(()).admits("", "")


def test_any_of_the_keys_is_admitted_as_a_bearer_token_and_nothing_else():
    access = Access(("first", "schlüssel"))
    assert access.admits("Bearer first", "")
    assert access.admits("bearer schlüssel", "")
    for wrong in ("", "first", "Basic first", "Bearer", "Bearer firs", "Bearer first2", "Bearer first,schlüssel", "Bearer \ud800"):
        assert not access.admits(wrong, ""), wrong


def test_a_session_is_admitted_until_it_ends():
    now = [1_000.0]
    access = Access(("first",), clock=lambda: now[0])
    cookie = f"{SESSION_COOKIE}={access.open_session('first')}"
    assert access.admits("", cookie)
    assert access.admits("", f"other=1; {cookie}")
    now[0] += SESSION_SECONDS + 1
    assert not access.admits("", cookie)


def test_a_wrong_key_opens_no_session():
    assert Access(("first",)).open_session("second") is None


def test_a_session_cannot_be_made_or_prolonged_without_the_key():
    access = Access(("first",), clock=lambda: 1_000.0)
    ends, _, signature = access.open_session("first").partition(".")
    forged = (
        "",
        ".",
        ends,
        f"{int(ends) + 1}.{signature}",
        f"{ends}.{signature[:-1]}",
        f"{ends}.",
        f"-5.{signature}",
        f"{'9' * 5000}.{signature}",
    )
    for token in forged:
        assert not access.admits("", f"{SESSION_COOKIE}={token}"), token[:40]


def test_a_key_that_is_taken_away_takes_its_sessions_with_it_and_a_restart_does_not():
    cookie = f"{SESSION_COOKIE}={Access(('first', 'second')).open_session('second')}"
    assert Access(("second",)).admits("", cookie)
    assert not Access(("first",)).admits("", cookie)
