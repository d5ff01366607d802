"""Visitors: who is asking, by what they carry; and where visitors are kept apart without being told to."""

import asyncio
import stat
import threading
from pathlib import Path

import httpx
import pytest
from starlette.types import Scope

from studio.settings import Settings, read_settings
from studio.web.access import (
    SECRET_FILE,
    SESSION_COOKIE,
    SESSION_SECONDS,
    VISITOR_COOKIE,
    Access,
    Visitors,
    WorkspaceMiddleware,
    workspace_of,
)
from studio.workspace import EVERYBODY, NOBODY, named_key, of_a_cookie, of_a_key, of_a_login, of_a_session

SECRET = b"s" * 32
OPEN = Visitors(Access(()), SECRET)


def scope_of(path: str = "/", method: str = "GET", scheme: str = "http", session: dict | None = None, **headers: str) -> Scope:
    listed = [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in headers.items()]
    return {"type": "http", "method": method, "path": path, "scheme": scheme, "headers": listed} | ({"session": session} if session else {})


def cookie_of(visitors: Visitors) -> str:
    """The Cookie header of somebody who was here before."""
    return visitors.cookie_of_a_newcomer(scope_of()).partition(";")[0]


def through_the_middleware(scope: Scope, visitors: Visitors = OPEN) -> tuple[str, httpx.Headers]:
    """(whose the request is, the headers of the answer)."""
    seen, sent = [], []

    async def app(scope, receive, send) -> None:
        seen.append(workspace_of(scope))
        await send({"type": "http.response.start", "status": 200, "headers": [(b"cache-control", b"private, no-cache")]})

    async def send(message) -> None:
        sent.append(message)

    asyncio.run(WorkspaceMiddleware(app, visitors)(scope, None, send))
    return seen[0], httpx.Headers(sent[0]["headers"])


# --- cookies


def test_a_newcomer_to_the_page_gets_a_cookie_and_is_the_same_from_then_on():
    workspace, headers = through_the_middleware(scope_of())
    assert workspace == NOBODY
    kept = headers["set-cookie"].partition(";")[0]
    assert headers["cache-control"] == "no-store"
    known, again = through_the_middleware(scope_of(cookie=f"other=1; {kept}"))
    assert known == of_a_cookie(kept.partition("=")[2].partition(".")[0])
    assert "set-cookie" not in again and again["cache-control"] == "private, no-cache"
    assert through_the_middleware(scope_of())[1]["set-cookie"].partition(";")[0] != kept


@pytest.mark.parametrize("scope", [scope_of("/v1/audio/voices"), scope_of(method="POST"), scope_of("/config"), scope_of(method="HEAD")])
def test_nothing_but_a_look_at_the_page_gives_a_cookie(scope):
    workspace, headers = through_the_middleware(scope)
    assert (workspace, "set-cookie" in headers) == (NOBODY, False)


def test_a_cookie_is_for_this_host_over_http_and_kept_in_another_sites_frame_over_https():
    attributes = set(OPEN.cookie_of_a_newcomer(scope_of()).split("; ")[1:])
    assert attributes == {f"Max-Age={400 * 24 * 3600}", "Path=/", "HttpOnly", "SameSite=Lax"}
    framed = {f"Max-Age={400 * 24 * 3600}", "Path=/", "HttpOnly", "SameSite=None", "Secure", "Partitioned"}
    for scope in (scope_of(scheme="https"), scope_of(x_forwarded_proto="https"), scope_of(x_forwarded_proto="https, http")):
        assert set(OPEN.cookie_of_a_newcomer(scope).split("; ")[1:]) == framed


def test_a_cookie_that_was_not_signed_here_is_nobodys():
    visitor, _, signature = cookie_of(OPEN).partition("=")[2].partition(".")
    foreign = cookie_of(Visitors(Access(()), b"t" * 32))
    forged = [f"{visitor}.", f"{visitor}.{signature[:-1]}", f"{visitor}0.{signature}", f".{signature}", visitor, ".", "", f"{visitor}.\xff"]
    for cookie in (*(f"{VISITOR_COOKIE}={value}" for value in forged), foreign, "\x00;=", f"{VISITOR_COOKIE}"):
        assert OPEN.workspace_of(scope_of(cookie=cookie)) is None, cookie


def test_a_page_without_a_cookie_is_known_by_its_session_and_the_cookie_beats_it():
    assert OPEN.workspace_of(scope_of(x_studio_page="abc")) == of_a_session("abc")
    assert OPEN.workspace_of(scope_of(x_studio_page="")) is None
    cookie = cookie_of(OPEN)
    assert OPEN.workspace_of(scope_of(x_studio_page="abc", cookie=cookie)) == OPEN.workspace_of(scope_of(cookie=cookie))
    assert of_a_session("abc").startswith("session:") and "abc" not in of_a_session("abc")


def test_the_hubs_login_beats_the_cookie_and_is_one_person_whatever_they_are_called():
    def login(subject: str, name: str) -> dict:
        return {"oauth_info": {"userinfo": {"sub": subject, "preferred_username": name}}}

    known = OPEN.workspace_of(scope_of(session=login("42", "ann"), cookie=cookie_of(OPEN)))
    assert known == OPEN.workspace_of(scope_of(session=login("42", "anna"))) == of_a_login("42")
    assert OPEN.workspace_of(scope_of(session=login("43", "ann"))) != known
    assert OPEN.workspace_of(scope_of(session={"other": 1})) is None


# --- the secret


def test_a_restart_keeps_everybody_who_they_are_and_the_secret_is_this_folders(tmp_path):
    settings = Settings(speakers_dir=tmp_path / "a" / "speakers", workspaces="private")
    cookie = cookie_of(Visitors.of(settings))
    assert Visitors.of(settings).workspace_of(scope_of(cookie=cookie)) is not None
    path = settings.speakers_dir / SECRET_FILE
    assert len(path.read_bytes()) == 32 and stat.S_IMODE(path.stat().st_mode) == 0o600
    other = Visitors.of(Settings(speakers_dir=tmp_path / "b", workspaces="private"))
    assert other.workspace_of(scope_of(cookie=cookie)) is None


def test_two_processes_that_begin_at_once_have_one_secret(tmp_path):
    settings, cookies, together = Settings(speakers_dir=tmp_path, workspaces="private"), [], threading.Barrier(8)

    def begin() -> None:
        together.wait(60)
        cookies.append(cookie_of(Visitors.of(settings)))

    threads = [threading.Thread(target=begin) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    visitors = Visitors.of(settings)
    assert len(cookies) == 8 and all(visitors.workspace_of(scope_of(cookie=cookie)) for cookie in cookies)
    assert [path.name for path in tmp_path.iterdir()] == [SECRET_FILE]


# --- keys


def test_each_name_of_a_key_is_a_workspace_and_a_key_without_one_is_whoever_runs_the_studio():
    visitors = Visitors(Access(("ann:first", "bo:second", "third", "ann:fourth")), SECRET)

    def whose(key: str) -> str | None:
        return visitors.workspace_of(scope_of(authorization=f"Bearer {key}", cookie=cookie_of(OPEN), x_studio_page="abc"))

    assert [whose(key) for key in ("first", "ann:first", "fourth", "second")] == [of_a_key("ann")] * 3 + [of_a_key("bo")]
    assert whose("third") == EVERYBODY
    assert [whose(key) for key in ("bo:first", "ann:", "ann", "ann:third", ":third", "")] == [None] * 6
    assert visitors.cookie_of_a_newcomer(scope_of()) is None


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ("ann:key", ("ann", "key")), ("ann:a:b", ("ann", "a:b")), ("key", ("", "key")), (":key", ("", ":key")), ("ann:", ("", "ann:")),
        ("a b:key", ("", "a b:key")), ("x" * 65 + ":k", ("", "x" * 65 + ":k")),
    ],
)  # fmt: skip
def test_what_has_no_name_before_its_first_colon_is_a_key_as_a_whole(written, named):
    assert named_key(written) == named


def test_a_session_is_that_keys_workspace_until_it_ends():
    now = [1_000.0]
    visitors = Visitors(access := Access(("ann:first", "second"), clock=lambda: now[0]), SECRET)
    cookies = {key: f"{SESSION_COOKIE}={access.open_session(key)}" for key in ("first", "ann:first", "second")}
    whose = [visitors.workspace_of(scope_of(cookie=cookie)) for cookie in cookies.values()]
    assert whose == [of_a_key("ann"), of_a_key("ann"), EVERYBODY]
    now[0] += SESSION_SECONDS + 1
    assert [visitors.workspace_of(scope_of(cookie=cookie)) for cookie in cookies.values()] == [None] * 3


# --- settings


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, ("shared", 0.0)),
        ({"STUDIO_API_KEYS": "one,two"}, ("shared", 0.0)),
        ({"STUDIO_API_KEYS": "one,ann:two"}, ("private", 0.0)),
        ({"STUDIO_API_KEYS": "ann:two", "STUDIO_WORKSPACES": "shared"}, ("shared", 0.0)),
        ({"STUDIO_WORKSPACES": "private"}, ("private", 0.0)),
        ({"STUDIO_WORKSPACES": "private", "STUDIO_WORKSPACE_HOURS": "2"}, ("private", 2.0)),
        ({"SPACE_ID": "a/b"}, ("private", 24.0)),
        ({"SPACE_ID": "a/b", "STUDIO_WORKSPACES": "shared"}, ("shared", 24.0)),
        ({"SPACE_ID": "a/b", "STUDIO_WORKSPACE_HOURS": "0"}, ("private", 0.0)),
    ],
)
def test_visitors_are_kept_apart_on_a_space_and_where_keys_have_names(environment, expected, tmp_path):
    settings = read_settings({"STUDIO_SPACE_STORAGE": str(tmp_path / "none")} | environment)
    assert (settings.workspaces, settings.workspace_hours) == expected
    assert (settings.most_workspace_speakers, settings.most_history_entries) == (20, 200)


def test_a_space_with_storage_keeps_visitors_apart_and_keeps_what_they_have(tmp_path):
    settings = read_settings({"SPACE_ID": "a/b", "STUDIO_SPACE_STORAGE": str(tmp_path)})
    assert (settings.workspaces, settings.workspace_hours, settings.speakers_dir) == ("private", 0.0, Path(tmp_path) / "speakers")
