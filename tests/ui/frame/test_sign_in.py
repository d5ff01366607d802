"""SignIn: the page behind a key."""

import asyncio

import httpx
import pytest

from studio.ui.frame.sign_in import SignIn
from studio.web.access import MOST_WRONG, SESSION_COOKIE, Access, KeyCheck

HTML = {"Accept": "text/html"}


async def page(scope, receive, send) -> None:
    """Stands for the page's app."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"the page"})


def ask(method: str, path: str, keys: KeyCheck | None = None, *, base="http://studio.example", **content) -> httpx.Response:
    async def asking() -> httpx.Response:
        transport = httpx.ASGITransport(SignIn(page, keys or KeyCheck(Access(("first",)))))
        async with httpx.AsyncClient(transport=transport, base_url=base) as client:
            return await client.request(method, path, **content)

    return asyncio.run(asking())


def test_a_visitor_without_a_session_sees_the_form_and_nothing_of_the_page():
    response = ask("GET", "/", headers=HTML)
    assert response.status_code == 401
    assert 'name="key"' in response.text
    assert "the page" not in response.text


@pytest.mark.parametrize("path", ["/config", "/gradio_api/queue/join", "/gradio_api/upload", "/theme.css", "//", "/sign-in/../config"])
def test_no_path_of_the_page_answers_without_a_session(path):
    for method in ("GET", "POST"):
        response = ask(method, path)
        assert (response.status_code, response.json()) == (401, {"error": "Unauthorized"})


def test_the_key_opens_a_session_and_the_session_the_page():
    answer = ask("POST", "/sign-in", data={"key": "first"})
    assert (answer.status_code, answer.headers["location"]) == (303, "./")  # relative: below a proxy's path, too
    assert "HttpOnly" in answer.headers["set-cookie"]
    assert "SameSite=Lax" in answer.headers["set-cookie"]
    cookie = answer.headers["set-cookie"].partition(";")[0]
    assert "first" not in cookie
    assert ask("GET", "/", headers=HTML | {"Cookie": cookie}).text == "the page"


@pytest.mark.parametrize("form", [{"key": "second"}, {"key": ""}, {}, {"key": "first" * 2000}])
def test_a_wrong_key_is_told_and_opens_nothing(form):
    answer = ask("POST", "/sign-in", data=form)
    assert answer.status_code == 401
    assert "not one of the keys" in answer.text
    assert "set-cookie" not in answer.headers


def test_a_session_over_https_works_in_the_frame_of_a_space():
    answer = ask("POST", "/sign-in", base="https://studio.example", data={"key": "first"})
    for attribute in ("Secure", "SameSite=None", "Partitioned"):
        assert attribute in answer.headers["set-cookie"]


def test_signing_out_takes_the_session_from_the_browser():
    answer = ask("POST", "/sign-out")
    assert answer.headers["set-cookie"].startswith(f"{SESSION_COOKIE}=; Max-Age=0;")


def test_another_sites_form_can_neither_sign_in_nor_out():
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}):
        for path in ("/sign-in", "/sign-out"):
            answer = ask("POST", path, data={"key": "first"}, headers=headers)
            assert answer.status_code == 403 and "set-cookie" not in answer.headers
    own = {"Origin": "http://studio.example", "Sec-Fetch-Site": "same-origin"}
    assert ask("POST", "/sign-in", data={"key": "first"}, headers=own).status_code == 303


def test_who_guesses_on_is_told_to_wait_and_a_session_goes_on():
    keys = KeyCheck(Access(("first",)), clock=lambda: 0.0)
    for i in range(MOST_WRONG):
        assert ask("POST", "/sign-in", keys, data={"key": f"guess {i}"}).status_code == 401
    slowed = ask("POST", "/sign-in", keys, data={"key": "first"})
    assert (slowed.status_code, slowed.headers["retry-after"]) == (429, "30") and "Wait half a minute" in slowed.text
    cookie = f"{SESSION_COOKIE}={Access(('first',)).open_session('first')}"
    assert ask("GET", "/", keys, headers=HTML | {"Cookie": cookie}).text == "the page"
    assert ask("GET", "/", keys, headers=HTML).status_code == 401  # the form is still shown
    assert ask("GET", "/config", keys, headers={"Authorization": "Bearer another"}).status_code == 429


def test_the_form_runs_its_own_script_and_no_other():
    policy = ask("GET", "/", headers=HTML).headers["content-security-policy"]
    assert "default-src 'none'" in policy and policy.count("sha256-") == 1 and "form-action 'self'" in policy
