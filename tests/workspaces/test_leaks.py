"""No leaks: whoever asks a studio for everything is answered as if nobody else had ever been there.

Two worlds, alike but for one thing: in one, A has voices, history and all the rest. Everybody else asks both the same, and what they are
answered is compared. How busy an engine is, is the machine's and left out of it; so is what an engine prepared of a recording, which it
keeps by content: only its time could tell.
"""

from collections.abc import Callable
from dataclasses import replace

import httpx
import pytest

from studio.api.mcp.tools import ARGUMENTS
from studio.audio.spoken_sounds import SpokenSounds
from studio.ui.frame.files import file_routes
from studio.ui.frame.page_middleware import USED, USED_PREFIXES
from studio.ui.gradio.news import NEWS_PATH
from tests.workspaces.everything import (
    EVENTS,
    FUNCTIONS,
    OWNERS,
    PAGE_ROUTES,
    ROUTES,
    TOOLS,
    ask_everything,
    ask_the_api,
    ask_the_page,
    look,
)
from tests.workspaces.visitor import ENGINE, Visitor
from tests.workspaces.world import HELD_ENGINE, SHARED_HZ, VOICE, Belongings, World, settled_in

# Gradio counts its events with pandas, in words that pandas is about to drop; and says so where a voice is none of a list's.
pytestmark = pytest.mark.filterwarnings("ignore:.*no_silent_downcasting", "ignore:The value passed into gr.Dropdown")

KEYS = ("ann:key-of-ann", "bo:key-of-bo", "cy:key-of-cy", "key-of-whoever-runs-it")
STRANGE = "c0ffee" * 5 + "c0"  # an id that nobody has
# Of Gradio's routes that the page uses: events and functions have tables of their own.
# The heartbeat never ends, and says nothing.
SPOKEN_THROUGH = {"component_server", "component_server/", "queue/join", "run/predict", "heartbeat/"}

Asking = Callable[[Visitor, Belongings], None]
Came = tuple[Visitor, Visitor, Asking]  # the same visitor of both worlds, of the one with A and of the one without; and what it asks


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """opened(keys) -> two worlds, alike; closed after the module's tests."""
    worlds = []

    def make(keys: tuple[str, ...] = ()) -> list[World]:
        worlds.extend(World(tmp_path_factory.mktemp("world"), keys) for _ in range(2))
        return worlds[-2:]

    yield make
    for world in worlds:
        world.close()


def test_two_browsers_know_nothing_of_a_third(opened):
    """One keeps its cookie; the other keeps none, so that its page says who it is."""
    worlds = opened()
    a = worlds[0].with_cookie("page-of-a")
    has = settled_in(a, worlds[0])
    cookie, no_cookie = (lambda world: world.with_cookie("page-of-b")), (lambda world: world.without_cookie("page-of-c"))
    visitors = [came(worlds, cookie, ask_everything), came(worlds, no_cookie, ask_the_page)]
    assert_everything_is_in_the_tables(worlds[1])
    live_beside(a, has, visitors, worlds)
    assert_nothing_leaks(visitors, has)


def test_two_keys_know_nothing_of_a_third(opened):
    """One comes as a program, with the key in each request; the other as a browser that signed in with it."""
    worlds = opened(KEYS)
    a = worlds[0].with_key("key-of-ann")
    has = settled_in(a, worlds[0])
    program, browser = (lambda world: world.with_key("key-of-bo")), (lambda world: world.signed_in("cy:key-of-cy"))
    visitors = [came(worlds, program, ask_the_api), came(worlds, browser, ask_everything)]
    live_beside(a, has, visitors, worlds)
    assert_nothing_leaks(visitors, has)


def came(worlds: list[World], come: Callable[[World], Visitor], asking: Asking) -> Came:
    return come(worlds[0]), come(worlds[1]), asking


def live_beside(a: Visitor, has: Belongings, visitors: list[Came], worlds: list[World]) -> None:
    """Everybody asks for everything by A's names and ids, while A's extraction is under way, while A does this and that, and after."""
    in_vain = replace(
        has,
        generation=STRANGE,
        deleted=STRANGE,
        entry=STRANGE,
        draft=STRANGE,
        test=STRANGE[:22],
        script=STRANGE,
        line=STRANGE,
        evaluation=STRANGE[:16],
    )
    for beside_a, alone, ask in visitors:
        ask(beside_a, has)
        ask(alone, in_vain)
    assert worlds[0].studio.stats().in_flight == 1
    in_both(visitors, open_tabs)
    a_does_this_and_that(a)
    in_both(visitors, wait_for_news)
    for world in worlds:
        world.let_go.set()
    in_both(visitors, have_the_same_recording)
    assert a.ask("DELETE", f"/v1/audio/voices/{has.voice}").status_code == httpx.codes.OK
    in_both(visitors, still_have_it)


def in_both(visitors: list[Came], act: Callable[[Visitor], None]) -> None:
    for beside_a, alone, _ in visitors:
        act(beside_a)
        act(alone)


def open_tabs(visitor: Visitor) -> None:
    look(visitor)
    wait_for_news(visitor)


def wait_for_news(visitor: Visitor) -> None:
    """A tick of the page's clock, which brings nothing of what others have."""
    assert not {"voices", "rows", "entries", "voice_is_stored"} & news(visitor)


def news(visitor: Visitor) -> set[str]:
    """The names of what a tick brings, in any of its outputs."""
    outputs = visitor.event("news.bring", {"cache-find": ""})
    return {name for output in outputs if isinstance(output, dict) for name in output}


def a_does_this_and_that(a: Visitor) -> None:
    assert a.upload("Quintilian Ash", 512.0).status_code == httpx.codes.OK
    assert a.speak("Quintilian Ash").status_code == httpx.codes.OK
    a.event("cache-matrix.act", {}, {"voice": "Quintilian Ash", "engine": ENGINE, "verb": "pin"})
    assert "voices" in news(a)


def have_the_same_recording(visitor: Visitor) -> None:
    """As A, under the same name: it is learned anew, by both engines."""
    assert visitor.upload(VOICE, SHARED_HZ).status_code == httpx.codes.OK
    assert [visitor.speak(VOICE).headers["x-speaker-cache"] for _ in range(2)] == ["miss", "hit"]
    warmed = visitor.ask("POST", f"/v1/audio/voices/{VOICE}/cache?model={HELD_ENGINE}").json()
    assert (warmed["cache_status"], warmed["outcome"]) == ("ready", "miss")


def still_have_it(visitor: Visitor) -> None:
    """And come to it by every way."""
    look(visitor)
    assert visitor.speak(VOICE).headers["x-speaker-cache"] == "hit"
    assert visitor.converse(VOICE)[-1]["type"] == "session.done"
    assert visitor.ask("GET", f"/studio/bundles/{VOICE}").status_code == httpx.codes.OK
    batch = visitor.post("/v1/audio/speech/batch", {"voice": VOICE, "items": [{"input": "one"}]})
    assert batch.json()["results"][0]["status"] == "success"
    said = visitor.event("relay.ask", {}, {"run": "2", "request": {"input": "a", "voice": VOICE, "model": ENGINE}})
    assert '"refusal"' not in str(said) and '"over": true' in str(said)
    [entry] = visitor.event("history-section.select", {})[0]["entries"]
    assert visitor.ask("GET", f"/studio/history/{entry['id']}", "/studio/history/{entry_id}").status_code == httpx.codes.OK
    assert visitor.ask("GET", f"/v1/audio/voices/{VOICE}").json()["prompts"] == {ENGINE: "memory", HELD_ENGINE: "memory"}


# --- what is claimed


def assert_nothing_leaks(visitors: list[Came], has: Belongings) -> None:
    for beside_a, alone, _ in visitors:
        assert len(beside_a.answers) == len(alone.answers) > 80
        unlike = [
            (one.asked, difference)
            for one, other in zip(beside_a.answers, alone.answers, strict=True)
            for difference in differences(one.plain, other.plain)
        ]
        assert not unlike, "\n".join(map(str, unlike[:20]))
        assert all("owner_only" in answer.raw for answer in beside_a.answers if answer.asked in OWNERS)
        secrets = [secret.casefold() for secret in has.secrets]
        for answer in beside_a.answers:
            raw = answer.raw.casefold()
            told = [secret for secret in secrets if secret in raw]
            said = answer.said.casefold() if told else ""
            assert not [(answer.asked, secret) for secret in told if secret not in said]


def differences(one: object, other: object, at: str = "") -> list[str]:
    if type(one) is type(other) and isinstance(one, dict) and one.keys() == other.keys():
        return [line for key in one for line in differences(one[key], other[key], f"{at}.{key}")]
    if type(one) is type(other) and isinstance(one, list) and len(one) == len(other):
        return [line for index, pair in enumerate(zip(one, other, strict=True)) for line in differences(*pair, f"{at}[{index}]")]
    if one == other:
        return []
    first = next((place for place, (a, b) in enumerate(zip(str(one), str(other), strict=False)) if a != b), 0)
    shown = slice(max(0, first - 100), first + 200)
    return [f"{at}: {str(one)[shown]!r} is not {str(other)[shown]!r}"]


def assert_everything_is_in_the_tables(world: World) -> None:
    """Whoever adds a route, an event or a server function says in tests/workspaces/everything.py what a visitor asks of it."""
    somebody = world.without_cookie("looks around")
    paths = somebody.ask("GET", "/openapi.json").json()["paths"]
    documented = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    assert documented | {f"WEBSOCKET {path}" for path in world.socket_paths} == set(ROUTES)
    assert set(somebody.page.events) == set(EVENTS)
    assert set(somebody.page.functions) == set(FUNCTIONS)
    assert set(ARGUMENTS) == set(TOOLS)
    files = {route.path for route in file_routes(world.studio, SpokenSounds())} | {NEWS_PATH}
    assert files | {*USED, *USED_PREFIXES} - SPOKEN_THROUGH <= set(PAGE_ROUTES)
