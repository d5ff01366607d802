"""Whose is it: what all visitors share is the owner's alone to change, on a Space and wherever visitors are kept apart."""

import asyncio
import base64
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import httpx
import pytest
from gradio.context import LocalContext
from starlette.requests import Request
from starlette.types import Scope

from engines.contract.license import License
from engines.errors import EngineUnavailable
from studio.api.app import build_api
from studio.errors import OwnerOnly
from studio.service import Studio
from studio.settings import Settings, read_settings
from studio.speech.refusal import refusal_of
from studio.ui.cache.cache_tab import matrix_value
from studio.ui.engines.engine_cards import act_on_engine, cards_value
from studio.ui.frame.page import show_space_notes
from studio.ui.gradio.current_visit import visited
from studio.ui.gradio.words import problem_words
from studio.ui.speak.dictionary import delete_word, import_words, keep_word
from studio.ui.speak.speaking import choice_value, fetch_weights
from studio.ui.voices.aliases import keep_alias, list_aliases, remove_alias
from studio.web.access import OWNER_PLACE
from studio.web.owners import Owners, visitor_guards
from studio.workspace import EVERYBODY, NOBODY
from tests.api.door import eventually
from tests.stand_ins import heavy_package
from tests.stand_ins.fake_engine import INFO, FakeEngine

SPACE = {"SPACE_ID": "someone/voices", "OAUTH_CLIENT_ID": "id"}
ANN = "visitor:ann"
NONCOMMERCIAL = replace(heavy_package.INFO, licenses=(License("CC-BY-NC-4.0"),), restriction="commercial use")
VERBS = (
    {"engine": "fake", "verb": "load"},
    {"engine": "fake", "verb": "unload"},
    {"engine": "fake", "verb": "make-room", "unload": "fake"},
    {"engine": "heavy", "verb": "cancel"},
    {"engine": "heavy", "verb": "fetch", "accepted": "commercial use"},
)
# What changes how everybody hears, where visitors share everything.
OF_EVERYBODY: tuple[tuple[Callable[[Studio, dict], dict], dict], ...] = (
    (keep_alias, {"name": "alloy", "voice": "tone"}),
    (remove_alias, {"name": "alloy"}),
    (keep_word, {"written": "tomato", "said": "tomahto"}),
    (import_words, {"name": "words.csv", "data": base64.b64encode(b"written,said\none,won\n").decode()}),
    (delete_word, {"written": "tomato", "language": ""}),
)


def scope_of(login: str = "", client: str = "10.0.0.1", **headers: str) -> Scope:
    session = {"oauth_info": {"userinfo": {"sub": f"id of {login}", "preferred_username": login}}} if login else {}
    listed = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http", "method": "GET", "path": "/v1/models", "client": (client, 1), "headers": listed, "session": session}


@pytest.fixture
def studio(open_studio, tmp_path) -> Studio:
    """Of two engines, of which one has weights to fetch, and a license to accept before."""
    checkpoint = heavy_package.make_remote(tmp_path / "hub")
    kept = {"infos": {"fake": INFO, "heavy": NONCOMMERCIAL}, "weights": {"heavy": heavy_package.source(checkpoint)}}
    about = {"space_id": "someone/voices", "oauth_client_id": "id", "space_storage": tmp_path / "none", "warm_uploads": False}
    return open_studio(open_engine=lambda name: FakeEngine(kept["infos"][name]), **kept, **about)


# --- who it is


@pytest.mark.parametrize(
    ("environment", "owners", "visitors"),
    [
        (SPACE, [scope_of("someone"), scope_of("SomeOne")], [scope_of(), scope_of("other"), scope_of(client="127.0.0.1")]),
        (SPACE | {"SPACE_AUTHOR_NAME": "renamed"}, [scope_of("renamed")], [scope_of("someone")]),
        (SPACE | {"STUDIO_OWNERS": "ann, bo"}, [scope_of("ann"), scope_of("bo")], [scope_of("someone"), scope_of("cy"), scope_of()]),
        (SPACE | {"STUDIO_WORKSPACES": "shared"}, [scope_of("someone")], [scope_of(), scope_of("other")]),
        ({"SPACE_ID": "someone/voices"}, [], [scope_of("someone"), scope_of(), scope_of(client="127.0.0.1")]),  # a login nobody signed
        (
            {"STUDIO_API_KEYS": "ann:first,owner:second,third", **SPACE},
            [
                scope_of(authorization="Bearer second"),
                scope_of(authorization="Bearer owner:second"),
                scope_of(authorization="Bearer third"),
            ],
            [scope_of(authorization="Bearer first"), scope_of(authorization="Bearer wrong"), scope_of("someone")],
        ),
        (
            {"STUDIO_WORKSPACES": "private"},
            [scope_of(client="127.0.0.1"), scope_of(client="::1")],
            [scope_of(), scope_of(client="127.0.0.1", x_forwarded_for="127.0.0.1"), scope_of(client="127.0.0.1", forwarded="for=1.2.3.4")],
        ),
        ({}, [scope_of(), scope_of("other")], []),
        ({"STUDIO_API_KEYS": "one"}, [scope_of(authorization="Bearer one")], []),
    ],
)
def test_the_owner_is_known_by_the_authors_sign_in_the_owners_key_or_the_machine_itself(environment, owners, visitors):
    settings = read_settings({"STUDIO_SPACE_STORAGE": "/nowhere"} | environment)
    include = Owners(settings).include
    assert [include(scope) for scope in owners + visitors] == [True] * len(owners) + [False] * len(visitors)


def test_a_view_of_somebody_elses_is_no_owners_unless_it_is_said(studio):
    assert not studio.is_owner and studio.within(EVERYBODY) is studio
    owner, view = studio.within(EVERYBODY, is_owner=True), studio.within(ANN)
    assert owner.is_owner and not view.is_owner
    assert not any(one.within(other).is_owner for one in (owner, view) for other in (EVERYBODY, ANN, NOBODY) if other != one.workspace)
    assert studio.within(ANN, is_owner=True).is_owner
    assert not visited(studio).is_owner  # outside of an event nobody has asked who it is


def test_an_event_is_the_owners_where_the_request_was(studio):
    """Through what stands before the page."""

    async def seen_by(scope: Scope) -> Studio:
        views = []

        async def page(scope, receive, send) -> None:
            token = LocalContext.request.set(Request(scope))
            views.append(visited(studio))
            LocalContext.request.reset(token)

        app = page
        for guard in reversed(visitor_guards(studio.settings)):
            app = guard.cls(app, **guard.kwargs)
        await app(scope, None, None)
        return views[0]

    owner, other, nobody = (asyncio.run(seen_by(scope_of(login))) for login in ("someone", "other", ""))
    assert (owner.is_owner, other.is_owner, nobody.is_owner) == (True, False, False)
    assert owner.workspace not in (EVERYBODY, NOBODY, other.workspace)


# --- what is the owner's


def test_a_visitor_changes_no_engine_and_accepts_nothing(studio):
    studio.load("fake")
    before = [(status.info.id, status.state) for status in studio.engines()]
    for view in (studio.within(ANN), studio.within(NOBODY), studio.within(EVERYBODY, is_owner=False)):
        told = [act_on_engine(view, asked) for asked in VERBS] + [fetch_weights(view, {"engine": "heavy"})["problem"]]
        assert {one["code"] for one in told} == {"owner_only"} and all("someone" in one["hint"] for one in told)
    assert [(status.info.id, status.state) for status in studio.engines()] == before
    assert studio.weights.status("heavy").state == "absent" and not studio.licenses.holds(NONCOMMERCIAL)


def test_the_owner_does_all_of_it(studio):
    owner = studio.within("hub:someone", is_owner=True)
    told = []
    for asked in VERBS:
        told.append(act_on_engine(owner, asked)["code"])
        assert eventually(lambda: all(status.state not in ("loading", "unloading") for status in studio.engines()))
    assert "owner_only" not in told and studio.licenses.holds(NONCOMMERCIAL)
    assert "problem" not in fetch_weights(owner, {"engine": "heavy"})
    assert eventually(lambda: studio.weights.status("heavy").state == "ready")


def test_a_visitor_sees_what_there_is_and_no_button_of_the_owners(studio):
    visitor, owner = studio.within(ANN), studio.within("hub:someone", is_owner=True)
    for mine, shown in ((False, cards_value(visitor)), (True, cards_value(owner))):
        assert [card["standing"] for card in shown["cards"]] == ["idle", "absent"]
        assert [bool(card["verb"]) for card in shown["cards"]] == [mine, mine]
        assert bool(shown["whose"]) is not mine
    assert "someone" in cards_value(visitor)["whose"]
    assert "below" in cards_value(owner)["cards"][1]["reason"] and "owner" in cards_value(visitor)["cards"][1]["reason"]
    chosen = [choice_value(view, None, "heavy")["engines"][1] for view in (visitor, owner)]
    assert [(one["state"], one["is_fetchable"], one["can_get"]) for one in chosen] == [("absent", False, False), ("absent", True, False)]
    assert [engine["id"] for engine in matrix_value(visitor)["engines"]] == ["fake"]


def test_a_visitors_speech_opens_what_is_here(studio):
    """Or a Space whose engine was idle would be silent until its owner comes."""
    assert studio.within(ANN).load("fake").state == "ready"


# --- what is everybody's, where all is shared


def test_on_a_space_that_shares_all_only_the_owner_changes_what_everybody_hears(open_studio):
    studio = open_studio(space_id="someone/voices", oauth_client_id="id", workspaces="shared")
    visitor, owner = studio, studio.within(EVERYBODY, is_owner=True)
    for act, asked in OF_EVERYBODY:
        assert act(visitor, asked)["problem"]["code"] == "owner_only", act
    assert not list_aliases(visitor, {})["can_change"]
    for act, asked in OF_EVERYBODY:
        assert "problem" not in act(owner, asked), act
    assert list_aliases(owner, {})["can_change"]


def test_a_visitor_who_is_kept_apart_sets_aliases_and_words_of_their_own(studio):
    for act, asked in OF_EVERYBODY:
        assert "problem" not in act(studio.within(ANN), asked), act


def test_the_api_refuses_with_403_who_may(open_studio):
    studio = open_studio(space_id="someone/voices", oauth_client_id="id", workspaces="shared")
    api = build_api(studio)
    asked = (("PUT", "/tomato", {"json": {"said": "tomahto"}}), ("DELETE", "", {}), ("DELETE", "/tomato", {}))
    asked += (("POST", "", {"content": b"written,said\none,won\n", "headers": {"Content-Type": "text/csv"}}),)

    async def answers() -> list[httpx.Response]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://studio") as program:
            return [await program.request(method, f"/v1/studio/lexicon{rest}", **content) for method, rest, content in asked]

    for answer in asyncio.run(answers()):
        error = answer.json()["error"]
        assert (answer.status_code, error["reason_code"]) == (403, "owner_only") and "someone" in error["hint"]
    assert refusal_of(OwnerOnly("key")).status == 403


def test_a_visitor_is_told_whose_the_next_step_is_and_no_command(open_studio, monkeypatch):
    """By the API, and on the page."""

    def absent(name: str) -> FakeEngine:
        raise EngineUnavailable("The weights are not here.", "make weights", sentence="weights_absent", name=name)

    studio = open_studio(open_engine=absent, space_id="someone/voices", oauth_client_id="id", workspaces="shared")
    with pytest.raises(EngineUnavailable):
        studio.load("fake")
    monkeypatch.setattr(Owners, "include", lambda self, scope: (b"x-owner", b"1") in scope["headers"])
    app = build_api(studio)

    async def answers(headers: dict[str, str]) -> list[dict]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://studio", headers=headers) as program:
            speech = {"input": "Hello.", "voice": "tone", "model": "fake"}
            return [
                answer.json()
                for answer in (
                    await program.get("/v1/models/fake"),
                    await program.post("/v1/audio/speech", json=speech),
                )
            ]

    (model, refused), (own_model, own_refused) = asyncio.run(answers({})), asyncio.run(answers({"x-owner": "1"}))
    assert "command" not in model and own_model["command"] == "make weights"
    asked = "Choose another engine, or ask the owner of this studio."
    assert refused["error"]["hint"] == asked != own_refused["error"]["hint"]
    for is_owner, hint in ((False, asked), (True, "Get it on the tab Cache & models, or choose another engine."), (None, "Get it")):
        token = LocalContext.request.set(SimpleNamespace(scope={OWNER_PLACE: is_owner}, headers={}))
        try:
            assert problem_words("weights_lacking", {"engine": "Heavy"})[1].startswith(hint)
        finally:
            LocalContext.request.reset(token)


# --- what is said before a voice is made


def test_a_visitor_is_told_that_voices_vanish_and_the_owner_what_would_keep_them(studio, open_studio):
    owner = studio.within("hub:someone", is_owner=True)
    facts = [[note and (note["fact"], note["hint"]) for note in show_space_notes(view)[:2]] for view in (studio.within(ANN), owner)]
    assert facts[0] == [("vanishing", "vanishing_keep_hours"), None]
    assert facts[1] == [("vanishing", "vanishing_hint"), ("apart", "apart_hours_hint")]
    lasting = open_studio(folder="kept", api_keys=("ann:first",), workspaces="private")
    assert show_space_notes(lasting.within(ANN)) == (None,) * 4 and Settings(workspaces="shared").has_visitors is False
