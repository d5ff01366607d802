"""The door of a listening test: who comes in, what is told there, and what is not."""

import hashlib

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount
from starlette.testclient import TestClient

from studio.errors import TestDamaged
from studio.service import Studio
from studio.settings import Settings
from studio.ui.frame.sign_in import SignIn
from studio.ui.listener.listen import LISTEN, MOST_ADDRESSES, MOST_AT_ONCE, RECOVERY_SECONDS, BegunTooOften, SessionPace, listen_routes
from studio.web.access import Access, KeyCheck
from studio.words.sentences import LANGUAGES, sentences_in
from tests.browser.studios.opened_tests import SECRET_WORDS, opened_test, plan_for
from tests.stand_ins.fake_engine import INFO, FakeEngine

BEGIN = {"consent": True, "device": "headphones", "place": "quiet", "check": "passed"}


@pytest.fixture
def studio(tmp_path):
    settings = Settings(speakers_dir=tmp_path, default_engine="fake")
    studio = Studio(settings, infos={"fake": INFO}, open_engine=lambda name: FakeEngine())
    yield studio
    studio.close()


@pytest.fixture
def client(studio):
    """Behind a key, with somebody else's app where Gradio is."""
    behind = Mount("/", PlainTextResponse("behind"))
    with TestClient(SignIn(Starlette(routes=[listen_routes(studio), behind]), KeyCheck(Access(("key",))), open_below=(LISTEN,))) as client:
        yield client


def begun(client, test: str, **told) -> dict:
    answer = client.post(f"/listen/{test}/sessions", json=BEGIN | told)
    assert answer.status_code == 200, answer.text
    return answer.json()


def answered(client, test: str, session: dict, index: int, value, **more) -> tuple[int, dict]:
    """Heard to the end first."""
    trial = session["trials"][index]
    labels = [slot["label"] for slot in trial["slots"]]
    for slot in trial["slots"]:
        assert client.get(f"/listen/{test}/sounds/{slot['sound']}.wav").status_code == 200
    told = {"trial": trial["number"], "value": value, "plays": dict.fromkeys(labels, 1), "heard_seconds": dict.fromkeys(labels, 0.6)}
    answer = client.post(f"/listen/{test}/answers", json=told | more, headers={"X-Listener": session["token"]})
    return answer.status_code, answer.json()


def test_whoever_has_the_link_listens_without_a_key_and_comes_back_by_the_token(client, studio):
    test = opened_test(studio.listening, plan_for("ab"))
    assert client.get(f"/listen/{test}/invitation").json() | {"minutes": 0} == {
        "method": "ab", "language": None, "n_trials": 3, "minutes": 0, "consent": "", "headphones": True, "comments": False,
        "needs_wide": False, "no_preference": False, "is_open": True, "is_draft": False, "scales": [],
    }  # fmt: skip
    session = begun(client, test)
    assert [trial["practice"] for trial in session["trials"]] == [True, False, False]
    assert answered(client, test, session, 0, "A") == (200, {"answered": 1})
    assert answered(client, test, session, 0, "A") == (200, {"answered": 1})  # pressed twice
    assert answered(client, test, session, 1, "B", seconds=4.5, comment="hm") == (200, {"answered": 2})
    again = client.get(f"/listen/{test}/session", headers={"X-Listener": session["token"]}).json()
    assert again == {"trials": session["trials"], "answered": [1, 2]}
    studio.listening.close_test(test)
    [vote] = studio.listening.votes(test)
    assert (vote.listener, vote.seconds, vote.comment, vote.experimenter) == ("L01", 4.5, "hm", False)


@pytest.mark.parametrize(
    "path", ["gradio_api/startup-events", "../config", "x/gradio_api/queue/data", "x/y/z/w/v", "web/x/en/scripts.js", ""]
)
def test_nothing_behind_is_reached_by_a_path_that_begins_alike(client, path):
    for method in ("GET", "POST", "PUT"):
        answer = client.request(method, f"{client.base_url}/listen/{path}", json={} if method == "POST" else None)
        assert "behind" not in answer.text and answer.status_code in (401, 404, 405), (method, answer.status_code)


def test_the_rest_of_the_studio_still_asks_for_the_key(client):
    for path in ("/", "/listen", "/listening/x", "/config"):
        assert client.get(path).status_code == 401


def test_the_document_is_the_same_for_every_test_in_the_language_of_whoever_comes(client):
    for language in LANGUAGES:
        page = client.get("/listen/one", headers={"Accept-Language": language})
        assert page.content == client.get("/listen/another", headers={"Accept-Language": language}).content
        assert f'<html lang="{language}">' in page.text and "@@" not in page.text and "{{" not in page.text
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "script-src 'self' 'sha256-" in policy and "unsafe" not in policy
        name = page.text.partition('src="')[2].partition('"')[0]
        scripts = client.get(f"/listen/{name}")
        assert scripts.headers["cache-control"].endswith("immutable") and sentences_in(language).words("listen.agree", {}) in scripts.text
    assert client.get("/listen/one/", follow_redirects=False).headers["location"] == "../one"


def test_no_name_of_a_test_a_system_an_engine_or_a_voice_is_in_anything_that_is_sent(client, studio):
    for method in ("abx", "mos", "smos", "mushra"):
        test = opened_test(studio.listening, plan_for(method, gold=1, traps=1, anchors=["embedded"] if method == "mushra" else []))
        session = begun(client, test)
        sound = session["trials"][0]["slots"][0]["sound"]
        told = [f"/listen/{test}", f"/listen/{test}/invitation", f"/listen/{test}/session", f"/listen/{test}/sounds/{sound}.wav"]
        sent = [client.get(path, headers={"X-Listener": session["token"]}) for path in told]
        sent += [client.get("/listen/" + sent[0].text.partition('src="')[2].partition('"')[0])]
        sent += [client.get(str(sent[-1].url).replace("scripts.js", "styles.css"))]
        assert [answer.status_code for answer in sent] == [200] * 6
        everything = " ".join(f"{answer.headers} {answer.content.decode('latin-1')}" for answer in sent) + str(session)
        own = [item.id for item in studio.listening.test(test).items] + [item.sha256 for item in studio.listening.test(test).items]
        for word in (*SECRET_WORDS, *own, '"gold"', "lowpass", '"embedded"', "/v1/", "engine", "'text'", "right'"):
            assert word.lower() not in everything.lower(), word


def test_every_sound_of_a_trial_comes_with_the_same_headers_and_none_that_tells(client, studio):
    test = opened_test(studio.listening, plan_for("mushra"))
    trial = begun(client, test)["trials"][1]
    sounds = [client.get(f"/listen/{test}/sounds/{slot['sound']}.wav") for slot in trial["slots"]]
    assert len({hashlib.sha256(sound.content).digest() for sound in sounds}) == len(sounds) - 1  # the hidden reference is the open one
    assert len({tuple(sound.headers.multi_items()) for sound in sounds}) == 1
    assert {sound.content[:44] for sound in sounds} == {sounds[0].content[:44]}
    assert set(sounds[0].headers) == {"content-length", "content-type", "cache-control", "cross-origin-resource-policy", "referrer-policy"}
    assert sounds[0].headers["cache-control"] == "no-store"


def test_what_goes_wrong_is_a_code_alone(client, studio, monkeypatch):
    test = opened_test(studio.listening, plan_for("mos"))
    session = begun(client, test)

    def problem(answer) -> tuple[int, dict]:
        return answer.status_code, answer.json()

    refused = {"error": {"code": "answer_refused"}}
    headers = {"X-Listener": session["token"]}
    for wrong in ({}, {"trial": 1, "value": 3, "more": 1}, {"trial": 1, "value": 3, "plays": {"Z": 1}}, {"trial": 1, "value": 3}):
        assert problem(client.post(f"/listen/{test}/answers", json=wrong, headers=headers)) == (400, refused), wrong
    assert problem(client.post(f"/listen/{test}/sessions", json={"consent": False})) == (400, refused)
    unknown = {"error": {"code": "test_unknown"}}
    assert problem(client.get("/listen/nothing/invitation"))[1] == problem(client.get(f"/listen/{test}/sounds/x.wav"))[1] == unknown
    assert client.get("/listen/nothing/invitation").status_code == 404
    assert problem(client.get(f"/listen/{test}/session"))[1] == {"error": {"code": "listener_unknown"}}

    def damaged(*names) -> bytes:
        raise TestDamaged

    with monkeypatch.context() as patched:
        patched.setattr(type(studio.listening), "sound", damaged)
        assert problem(client.get(f"/listen/{test}/sounds/x.wav")) == (500, {"error": {"code": "test_damaged"}})
    studio.listening.close_test(test)
    assert problem(client.post(f"/listen/{test}/sessions", json=BEGIN))[1] == {"error": {"code": "test_closed"}}


def test_what_a_listener_says_of_their_ears_is_kept_in_words_and_who_made_it_apart(client, studio, monkeypatch):
    test = opened_test(studio.listening, plan_for("mos"))
    told = []
    begin = type(studio.listening).begin
    monkeypatch.setattr(type(studio.listening), "begin", lambda self, *names, **how: told.append(how) or begin(self, *names, **how))
    begun(client, test, check="failed", experimenter=True)
    assert told == [{"experimenter": True, "device": "headphones, quiet, headphone check failed"}]
    assert studio.listening.test(test).n_begun == 0


def test_one_network_of_ipv6_is_one_address(client, studio, monkeypatch):
    """Whoever has one has 2^64 addresses."""
    monkeypatch.setattr("studio.ui.listener.listen.MOST_AT_ONCE", 1)
    test = opened_test(studio.listening, plan_for("ab"))
    for host, status in (("2001:db8::1", 200), ("2001:db8::2", 429), ("2001:db8:0:1::1", 200)):
        visitor = TestClient(client.app, client=(host, 1))
        assert visitor.post(f"/listen/{test}/sessions", json=BEGIN).status_code == status, host


def test_one_address_begins_as_often_as_a_class_does_and_then_slowly():
    now = [0.0]
    pace = SessionPace(lambda: now[0])
    for _ in range(MOST_AT_ONCE):
        pace.take("a")
    with pytest.raises(BegunTooOften) as refused:
        pace.take("a")
    pace.take("b")
    now[0] += refused.value.seconds
    pace.take("a")
    with pytest.raises(BegunTooOften):
        pace.take("a")
    assert refused.value.seconds == RECOVERY_SECONDS
    for number in range(MOST_ADDRESSES):
        pace.take(f"other {number}")
    pace.take("a")  # forgotten, as the bound of what is remembered wants it
