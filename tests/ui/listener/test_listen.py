"""The door of a listening test: who comes in, what is told there, and what is not."""

import hashlib

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount
from starlette.testclient import TestClient

from studio.api.app import build_api
from studio.errors import TestDamaged
from studio.listening.vote.sessions import MOST_SESSIONS, SEAT_KEPT_SECONDS
from studio.service import Studio
from studio.settings import Settings
from studio.ui.frame.sign_in import SignIn
from studio.ui.listener.listen import LISTEN, listen_routes
from studio.ui.listener.session_pace import (
    MOST_ADDRESSES,
    MOST_AT_ONCE,
    MOST_OF_A_TEST,
    MOST_TRIES,
    RECOVERY_SECONDS,
    SessionPace,
    TooOften,
)
from studio.web.access import Access, KeyCheck
from studio.words.sentences import LANGUAGES, sentences_in
from tests.browser.studios.opened_tests import SECRET_WORDS, link_of, opened_test, plan_for
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


def begun(client, link: str, **told) -> dict:
    answer = client.post(f"/listen/{link}/sessions", json=BEGIN | told)
    assert answer.status_code == 200, answer.text
    return answer.json()


def answered(client, link: str, session: dict, index: int, value, **more) -> tuple[int, dict]:
    """Heard to the end first."""
    trial = session["trials"][index]
    labels = [slot["label"] for slot in trial["slots"]]
    for slot in trial["slots"]:
        assert client.get(f"/listen/{link}/sounds/{slot['sound']}.wav").status_code == 200
    told = {"trial": trial["number"], "value": value, "plays": dict.fromkeys(labels, 1), "heard_seconds": dict.fromkeys(labels, 0.6)}
    answer = client.post(f"/listen/{link}/answers", json=told | more, headers={"X-Listener": session["token"]})
    return answer.status_code, answer.json()


def test_whoever_has_the_link_listens_without_a_key_and_comes_back_by_the_token(client, studio):
    test = opened_test(studio.listening, plan_for("ab"))
    link = link_of(studio.listening, test)
    assert client.get(f"/listen/{link}/invitation").json() | {"minutes": 0} == {
        "method": "ab", "language": None, "n_trials": 3, "minutes": 0, "consent": "", "headphones": True, "comments": False,
        "needs_wide": False, "no_preference": False, "hears_whole": False, "is_open": True, "is_draft": False, "is_full": False,
        "before": [], "after": [],
        "recruiting": ["PROLIFIC_PID", "STUDY_ID", "SESSION_ID", "workerId", "assignmentId", "hitId", "turkSubmitTo"], "scales": [],
    }  # fmt: skip
    session = begun(client, link)
    assert [trial["practice"] for trial in session["trials"]] == [True, False, False]
    assert answered(client, link, session, 0, "A") == (200, {"answered": 1})
    assert answered(client, link, session, 0, "A") == (200, {"answered": 1})  # pressed twice
    assert answered(client, link, session, 1, "B", seconds=4.5, comment="hm") == (200, {"answered": 2})
    again = client.get(f"/listen/{link}/session", headers={"X-Listener": session["token"]}).json()
    assert again == {"trials": session["trials"], "answered": [1, 2], "code": session["code"], "is_asked_after": False}
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_no_name_of_a_test_a_system_an_engine_or_a_voice_is_in_anything_that_is_sent(client, studio):
    for method in ("abx", "mos", "smos", "mushra"):
        test = opened_test(studio.listening, plan_for(method, gold=1, traps=1, anchors=["embedded"] if method == "mushra" else []))
        link = link_of(studio.listening, test)
        session = begun(client, link)
        sound = session["trials"][0]["slots"][0]["sound"]
        told = [f"/listen/{link}", f"/listen/{link}/invitation", f"/listen/{link}/session", f"/listen/{link}/sounds/{sound}.wav"]
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
    link = link_of(studio.listening, test)
    trial = begun(client, link)["trials"][1]
    sounds = [client.get(f"/listen/{link}/sounds/{slot['sound']}.wav") for slot in trial["slots"]]
    assert len({hashlib.sha256(sound.content).digest() for sound in sounds}) == len(sounds)  # the hidden reference, too
    assert len({tuple(sound.headers.multi_items()) for sound in sounds}) == 1
    assert {sound.content[:44] for sound in sounds} == {sounds[0].content[:44]}
    assert set(sounds[0].headers) == {"content-length", "content-type", "cache-control", "cross-origin-resource-policy", "referrer-policy"}
    assert sounds[0].headers["cache-control"] == "no-store"


def test_what_goes_wrong_is_a_code_alone(client, studio, monkeypatch):
    test = opened_test(studio.listening, plan_for("mos"))
    link = link_of(studio.listening, test)
    session = begun(client, link)

    def problem(answer) -> tuple[int, dict]:
        return answer.status_code, answer.json()

    refused = {"error": {"code": "answer_refused"}}
    headers = {"X-Listener": session["token"]}
    for wrong in ({}, {"trial": 1, "value": 3, "more": 1}, {"trial": 1, "value": 3, "plays": {"Z": 1}}, {"trial": 1, "value": 3}):
        assert problem(client.post(f"/listen/{link}/answers", json=wrong, headers=headers)) == (400, refused), wrong
    assert problem(client.post(f"/listen/{link}/sessions", json={"consent": False})) == (400, refused)
    unknown = {"error": {"code": "test_unknown"}}
    assert problem(client.get("/listen/nothing/invitation"))[1] == problem(client.get(f"/listen/{link}/sounds/x.wav"))[1] == unknown
    assert client.get("/listen/nothing/invitation").status_code == 404
    assert problem(client.get(f"/listen/{link}/session"))[1] == {"error": {"code": "listener_unknown"}}

    def damaged(*names) -> bytes:
        raise TestDamaged

    with monkeypatch.context() as patched:
        patched.setattr(type(studio.listening), "sound", damaged)
        assert problem(client.get(f"/listen/{link}/sounds/x.wav")) == (500, {"error": {"code": "test_damaged"}})
    studio.listening.close_test(test)
    assert problem(client.post(f"/listen/{link}/sessions", json=BEGIN))[1] == {"error": {"code": "test_closed"}}


def test_what_a_listener_says_of_their_ears_is_kept_in_words_and_who_made_it_apart(client, studio, monkeypatch):
    test = opened_test(studio.listening, plan_for("mos"))
    link = link_of(studio.listening, test)
    told = []
    begin = type(studio.listening).begin
    monkeypatch.setattr(type(studio.listening), "begin", lambda self, *names, **how: told.append(how) or begin(self, *names, **how))
    begun(client, link, check="failed", experimenter=True)
    device = "headphones, quiet, headphone check failed"
    assert told == [{"experimenter": True, "device": device, "browser": "testclient\ntestclient\n", "query": "", "form": {}}]
    assert studio.listening.test(test).n_begun == 0


def test_one_network_of_ipv6_is_one_address(studio, monkeypatch):
    """Whoever has one has 2^64 addresses."""
    monkeypatch.setattr("studio.ui.listener.session_pace.MOST_AT_ONCE", 1)
    app = Starlette(routes=[listen_routes(studio)])
    test = opened_test(studio.listening, plan_for("ab"))
    link = link_of(studio.listening, test)
    for host, status in (("2001:db8::1", 200), ("2001:db8::2", 429), ("2001:db8:0:1::1", 200)):
        visitor = TestClient(app, client=(host, 1))
        assert visitor.post(f"/listen/{link}/sessions", json=BEGIN).status_code == status, host


def test_one_address_begins_as_often_as_a_class_does_and_then_slowly():
    now = [0.0]
    pace = SessionPace(lambda: now[0])
    assert MOST_AT_ONCE >= 200
    for _ in range(MOST_AT_ONCE):
        pace.take("a", "test")
    with pytest.raises(TooOften) as refused:
        pace.take("a", "test")
    pace.take("b", "test")
    now[0] += refused.value.seconds
    pace.take("a", "test")
    with pytest.raises(TooOften):
        pace.take("a", "test")
    assert refused.value.seconds == RECOVERY_SECONDS
    for number in range(MOST_ADDRESSES):
        pace.take(f"other {number}", "test")
    pace.take("a", "test")  # forgotten, as the bound of what is remembered wants it


def test_a_loop_at_one_address_never_fills_a_test():
    """Neither one that only begins, of which nothing is left after two hours, nor a patient one."""
    assert MOST_AT_ONCE + SEAT_KEPT_SECONDS / RECOVERY_SECONDS < MOST_SESSIONS / 2
    now = [0.0]
    pace = SessionPace(lambda: now[0])
    for _ in range(MOST_OF_A_TEST):
        pace.take("a", "test")
        now[0] += RECOVERY_SECONDS
    with pytest.raises(TooOften):
        pace.take("a", "test")
    pace.take("a", "another")
    assert MOST_OF_A_TEST < MOST_SESSIONS


def test_the_listeners_link_opens_no_route_of_the_owner_and_no_answer_there_has_the_owners_id(studio):
    test = opened_test(studio.listening, plan_for("ab"))
    link = link_of(studio.listening, test)
    api = build_api(studio)
    one = "/v1/studio/tests/{test}"
    routes = [(method, route.path) for route in api.routes if getattr(route, "path", "").startswith(one) for method in route.methods]
    assert len(routes) >= 12
    with TestClient(Starlette(routes=[listen_routes(studio), Mount("/", api)])) as client:
        for method, path in routes:
            asked = path.format(test=link, system="a", text="0", listener="L01")
            content = {"json": plan_for("ab").model_dump(mode="json")} if method in ("PUT", "POST") else {}
            if "/sounds/" in path:
                content = {"content": b"x"}
            answer = client.request(method, asked, **content)
            assert (answer.status_code, answer.json()["error"]["reason_code"]) == (404, "test_unknown"), (method, path, answer.text)
        begun = client.post(f"/listen/{link}/sessions", json=BEGIN)
        headers = {"X-Listener": begun.json()["token"]}
        sent = [client.get(f"/listen/{link}{part}", headers=headers) for part in ("", "/invitation", "/session")]
        assert not any(test in f"{answer.headers} {answer.text}" for answer in (begun, *sent))
        assert client.get(f"/listen/{test}/invitation").status_code == 404


FORM = {"before": [{"id": "age", "text": "Age?", "choices": ["young", "old"], "required": True, "screens_out": ["young"]}]}
FORM |= {"after": [{"id": "hard", "text": "Hard?", "kind": "text"}]}


@pytest.mark.slow
def test_a_listener_says_who_they_are_takes_a_code_along_sees_what_is_kept_and_goes(client, studio):
    plan = plan_for(
        "mos",
        1,
        training=False,
        questionnaire=FORM,
        quota=1,
        completion={"code": "DONE", "screened_out": {"code": "OUT"}, "full": {"code": "FULL"}},
    )
    link = link_of(studio.listening, opened_test(studio.listening, plan))

    def ask(method: str, path: str, token: str = "", **content) -> tuple[int, dict]:
        answer = client.request(method, f"/listen/{link}/{path}", headers={"X-Listener": token}, **content)
        return answer.status_code, answer.json()

    _, invitation = ask("GET", "invitation")
    assert "screens_out" not in str(invitation) and [one["id"] for one in invitation["before"] + invitation["after"]] == ["age", "hard"]
    assert ask("POST", "sessions", json=BEGIN)[1] == {"error": {"code": "answer_refused"}}
    _, out = ask("POST", "sessions", json=BEGIN | {"form": {"age": "young"}})
    assert (out["error"]["code"], out["error"]["along"]["code"]) == ("listener_screened_out", "OUT")
    came = {"form": {"age": "old"}, "query": "?PROLIFIC_PID=p1"}
    _, session = ask("POST", "sessions", json=BEGIN | came)
    token, code = session["token"], session["code"]
    assert (
        ask("POST", "sessions", json=BEGIN | {"query": "?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE"})[1]["error"]["code"] == "test_previewed"
    )
    assert ask("GET", "ending", token)[0] == 400 and answered(client, link, session, 0, 4)[0] == 200
    assert ask("POST", "sessions", json=BEGIN | came)[1]["error"]["code"] == "listener_known"
    assert ask("GET", "session?PROLIFIC_PID=p1", token)[1]["is_asked_after"] and ask("GET", "session?PROLIFIC_PID=p2", token)[0] == 404
    assert ask("POST", "form", token, json={"answers": {}})[0] == 400 and answered(client, link, session, 1, 4)[0] == 200
    assert ask("POST", "form", token, json={"answers": {"hard": "no"}}) == (200, {})
    assert ask("GET", "ending", token) == (200, {"code": "DONE", "redirect": "", "submit_to": "", "fields": {}})
    assert ask("GET", "invitation")[1]["along"]["code"] == "FULL"
    assert ask("POST", "sessions", json=BEGIN | {"form": {"age": "old"}})[1]["error"] | {"along": 0} == {
        "code": "test_quota_full",
        "along": 0,
    }
    _, kept = ask("POST", "kept", json={"code": code})
    assert (kept["before"], kept["after"], kept["recruited"], kept["answers"][0]["value"]) == (
        {"age": "old"},
        {"hard": "no"},
        {"PROLIFIC_PID": "p1"},
        4,
    )
    assert ask("POST", "withdrawal", json={"code": code}) == (200, {})
    assert ask("GET", "session", token)[0] == ask("POST", "kept", json={"code": code})[0] == 404


@pytest.mark.slow
def test_codes_are_not_tried_in_a_loop(studio):
    link = link_of(studio.listening, opened_test(studio.listening, plan_for("ab")))
    with TestClient(Starlette(routes=[listen_routes(studio)])) as client:
        tries = [
            client.post(f"/listen/{link}/{path}", json={"code": "bado"}).status_code
            for _ in range(MOST_TRIES)
            for path in ("kept", "withdrawal")
        ]
    assert tries.count(404) == MOST_TRIES and set(tries[MOST_TRIES:]) == {429}
