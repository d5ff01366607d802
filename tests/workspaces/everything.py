"""Everything that a visitor can do with a studio: each route, each event of the page, and each function that its scripts call."""

import base64
from collections.abc import Callable

import numpy as np
import safetensors.numpy

from studio.ui.listening_tests.listening_files import LISTENING_FILES
from tests.api.door import data_url, wav
from tests.workspaces.evaluation_routes import EVALUATION_ROUTES
from tests.workspaces.listener_routes import LISTENER_FUNCTIONS, LISTENER_ROUTES
from tests.workspaces.recording_routes import RECORDING_ROUTES
from tests.workspaces.script_routes import SCRIPT_FUNCTIONS, SCRIPT_ROUTES
from tests.workspaces.take_routes import TAKE_ROUTES
from tests.workspaces.visitor import ENGINE, Visitor
from tests.workspaces.world import Belongings, sent

__all__ = ["EVENTS", "FUNCTIONS", "OWNERS", "PAGE_ROUTES", "ROUTES", "TOOLS", "ask_everything", "ask_the_api", "ask_the_page", "look"]

ONE = "/v1/audio/voices/{name}"
REGION = {"start": 0, "end": 4000, "has_transcript": True}
PCM = bytes(4800)  # silence, for the encoder
SCORES = b"listener,system,text,score\none,a,x,3\ntwo,b,x,4\n"
SHORT, BRIEF = "a", wav(0.05)  # of one chunk: how more of them go together is a matter of time
TESTS, TEST, WEIGHTS = "/v1/studio/tests", "/v1/studio/tests/{test}", "/v1/studio/engines/{engine}/weights"
WRITTEN = "/v1/audio/transcriptions"
OPENAI_VOICES = "/openai/v1/audio/voices"
LEXICON, ENTRY = "/v1/studio/lexicon", "/v1/studio/lexicon/{written}"
PROMPT = safetensors.numpy.save({"embeddings": np.ones((2, 6), np.float32)})  # as other tools make one
CONSENT = {"reason": "own", "who": "Somebody", "transcript": "one two three"}


def plan_with(voice: str) -> dict[str, object]:
    """A listening test in which that voice is heard."""
    systems = [{"id": "a", "voice": voice}, {"id": "b", "source": "files"}]
    return {"name": "one or two", "method": "ab", "systems": systems, "texts": ["one two"]}


def ask_about_test(method: str, rest: str = "", **content) -> Callable[[Visitor, Belongings], object]:
    return lambda b, has: b.ask(method, f"{TESTS}/{has.test}{rest}", TEST + rest, **content)


def have_a_test(b: Visitor, has: Belongings) -> None:
    """And look whether it is the only one."""
    own = b.post(TESTS, plan_with(has.voice)).json()["id"]
    b.ask("GET", TESTS)
    b.ask("GET", f"{TESTS}/{own}", TEST)
    b.ask("DELETE", f"{TESTS}/{own}", TEST)


def ask_about_consents(base: str) -> dict[str, Callable[[Visitor, Belongings], object]]:
    """At that base. What is recorded is renamed and deleted again."""
    every = f"{base}/audio/voice_consents"
    one = every + "/{consent_id}"
    rename = {"name": "Rosalind"}

    def record_and_withdraw(b: Visitor, has: Belongings) -> None:
        own = b.record_consent("Rosalind", base).json()["id"]
        b.ask("POST", f"{every}/{own}", one, json=rename)
        b.ask("DELETE", f"{every}/{own}", one)

    return {
        f"POST {every}": record_and_withdraw,
        f"GET {every}": lambda b, has: b.ask("GET", every),
        f"GET {one}": lambda b, has: b.ask("GET", f"{every}/{has.consent}", one),
        f"GET {one}/audio": lambda b, has: b.ask("GET", f"{every}/{has.consent}/audio", f"{one}/audio"),
        f"POST {one}": lambda b, has: b.ask("POST", f"{every}/{has.consent}", one, json=rename),
        f"DELETE {one}": lambda b, has: b.ask("DELETE", f"{every}/{has.consent}", one),
    }


def create_and_delete(b: Visitor, has: Belongings) -> None:
    """With somebody's consent, and after a description, which no engine here takes."""
    sample = {"audio_sample": ("a.wav", wav(2.0), "audio/wav")}
    b.ask("POST", OPENAI_VOICES, files=sample, data={"name": "Rosalind", "consent": has.consent})
    b.ask("POST", OPENAI_VOICES, json={"type": "prompt", "name": "Rosalind", "prompt": "gentle"})
    b.ask("DELETE", f"{OPENAI_VOICES}/Rosalind", OPENAI_VOICES + "/{name}")


# By "METHOD path" of the API's documentation: what is asked. Each is run in this order.
ROUTES: dict[str, Callable[[Visitor, Belongings], object]] = {
    "GET /health": lambda b, has: b.ask("GET", "/health"),
    "GET /metrics": lambda b, has: b.ask("GET", "/metrics"),
    "GET /v1/models": lambda b, has: b.ask("GET", "/v1/models"),
    "GET /v1/models/{model}": lambda b, has: b.ask("GET", f"/v1/models/{ENGINE}", "/v1/models/{model}"),
    f"POST {WEIGHTS}": lambda b, has: b.ask("POST", f"/v1/studio/engines/{ENGINE}/weights?checkpoint=some/model", WEIGHTS),
    "GET /openai/v1/models": lambda b, has: b.ask("GET", "/openai/v1/models"),
    "GET /openai/v1/audio/models": lambda b, has: b.ask("GET", "/openai/v1/audio/models"),
    "GET /openai/v1/models/{model}": lambda b, has: b.ask("GET", f"/openai/v1/models/{ENGINE}", "/openai/v1/models/{model}"),
    "GET /openai/v1/audio/voices": lambda b, has: b.ask("GET", "/openai/v1/audio/voices"),
    "POST /openai/v1/audio/speech": lambda b, has: [
        b.post("/openai/v1/audio/speech", {"input": SHORT, "voice": voice}) for voice in (has.voice, "alloy")
    ],
    "POST /openai/v1/audio/transcriptions": lambda b, has: b.ask(
        "POST", "/openai/v1/audio/transcriptions", files={"file": ("a.wav", wav(2.0), "audio/wav")}
    ),
    "GET /v1/audio/cache/stats": lambda b, has: b.ask("GET", "/v1/audio/cache/stats"),
    "GET /v1/audio/voices": lambda b, has: b.ask("GET", "/v1/audio/voices"),
    f"GET {ONE}": lambda b, has: [b.ask("GET", f"/v1/audio/voices/{name}", ONE) for name in (has.voice, has.voice.upper(), has.voice[:-1])],
    f"GET {ONE}/audio": lambda b, has: b.ask("GET", f"/v1/audio/voices/{has.voice}/audio", f"{ONE}/audio"),
    f"POST {ONE}/cache": lambda b, has: [
        b.ask("POST", f"/v1/audio/voices/{has.voice}/cache?model={ENGINE}{force}", f"{ONE}/cache") for force in ("", "&force=true")
    ],
    "POST /v1/audio/speech": lambda b, has: [
        b.speak(has.voice),
        b.speak(has.voice, stream=True, stream_format="sse"),
        b.speak("", ref_audio=data_url(wav(2.0, hz=555.0))),
        b.post("/v1/audio/speech", {"input": "kept", "voice": has.voice}, **{"x-studio-keep": "1"}),
    ],
    "GET /v1/audio/speech/{request_id}": lambda b, has: [
        b.post("/v1/audio/speech", {"input": SHORT, "voice": has.voice, "stream_format": "audio"}, **{"x-request-id": "one"}),
        b.ask("GET", "/v1/audio/speech/one", "/v1/audio/speech/{request_id}"),
    ],
    "POST /v1/audio/speech/batch": lambda b, has: b.post(
        "/v1/audio/speech/batch", {"voice": has.voice, "items": [{"input": "one"}, {"input": "two", "voice": "tone"}]}
    ),
    "POST /v1/studio/reading": lambda b, has: b.post("/v1/studio/reading", {"input": SHORT, "voice": has.voice}),
    "POST /v1/studio/compare": lambda b, has: b.post(
        "/v1/studio/compare", {"input": SHORT, "lanes": [{"voice": has.voice}, {"voice": "tone"}], "loudness": False}
    ),
    **RECORDING_ROUTES,
    f"POST {WRITTEN}": lambda b, has: b.ask("POST", WRITTEN, files={"file": ("a.wav", wav(2.0), "audio/wav")}),
    **TAKE_ROUTES,
    **SCRIPT_ROUTES,
    **EVALUATION_ROUTES,
    f"GET {TESTS}": lambda b, has: b.ask("GET", TESTS),
    f"POST {TESTS}": have_a_test,
    f"POST {TESTS}/judge": lambda b, has: b.ask("POST", f"{TESTS}/judge", content=SCORES, headers={"Content-Type": "text/csv"}),
    f"GET {TEST}": ask_about_test("GET"),
    f"PUT {TEST}": ask_about_test("PUT", json=plan_with("tone")),
    f"PUT {TEST}/sounds/{{system}}/{{text}}": lambda b, has: b.ask(
        "PUT", f"{TESTS}/{has.test}/sounds/b/0", TEST + "/sounds/{system}/{text}", content=BRIEF
    ),
    f"POST {TEST}/render": ask_about_test("POST", "/render"),
    f"DELETE {TEST}/render": ask_about_test("DELETE", "/render"),
    **{f"POST {TEST}/{act}": ask_about_test("POST", f"/{act}") for act in ("copy", "freeze", "close", "unblind")},
    **LISTENER_ROUTES,
    f"DELETE {TEST}": ask_about_test("DELETE"),
    f"PUT {ENTRY}": lambda b, has: b.ask("PUT", f"{LEXICON}/{has.voice}?language=en", ENTRY, json={"said": has.voice[::-1]}),
    f"GET {ENTRY}": lambda b, has: b.ask("GET", f"{LEXICON}/{has.voice}?language=en", ENTRY),
    f"POST {LEXICON}": lambda b, has: b.ask("POST", LEXICON, content=b"written,said\none,won\n", headers={"Content-Type": "text/csv"}),
    f"GET {LEXICON}": lambda b, has: [b.ask("GET", LEXICON), b.ask("GET", f"{LEXICON}?format=pls", LEXICON)],
    f"DELETE {ENTRY}": lambda b, has: [b.ask("DELETE", f"{LEXICON}/{has.voice}?language=en", ENTRY) for _ in range(2)],
    f"DELETE {LEXICON}": lambda b, has: b.ask("DELETE", LEXICON),
    f"POST {OPENAI_VOICES}": create_and_delete,
    f"DELETE {OPENAI_VOICES}/{{name}}": lambda b, has: b.ask("DELETE", f"{OPENAI_VOICES}/{has.voice[:-1]}", OPENAI_VOICES + "/{name}"),
    **ask_about_consents("/openai/v1"),
    **ask_about_consents("/v1"),
    "WEBSOCKET /v1/audio/speech/stream": lambda b, has: b.converse(has.voice),
    f"DELETE {ONE}/cache": lambda b, has: b.ask("DELETE", f"/v1/audio/voices/{has.voice}/cache", f"{ONE}/cache"),
    "POST /v1/audio/voices": lambda b, has: [b.upload(has.voice, 660.0), b.speak(has.voice), b.upload(has.voice.upper(), 661.0)],
    f"DELETE {ONE}": lambda b, has: [b.ask("DELETE", f"/v1/audio/voices/{has.voice}", ONE) for _ in range(2)],
}

# By name of an endpoint of the page: its arguments, in its order.
ARGUMENTS: dict[str, Callable[[Belongings], dict[str, object]]] = {
    "speak": lambda has: {"text": SHORT, "voice": has.voice, "engine": ENGINE, "language": "", "options": None},
    "convert": lambda has: {"recording": base64.b64encode(BRIEF).decode(), "voice": has.voice, "engine": ENGINE, "options": None},
    "compare": lambda has: {
        "text": SHORT, "lanes": [{"voice": has.voice, "engine": ENGINE}, {"voice": has.voice}], "language": "", "measures": False,
    },
    "voices": lambda has: {},
    "create_voice": lambda has: {
        "name": has.voice, "recording": base64.b64encode(wav(2.0)).decode(), "consent": "c1", "transcript": "one two", "language": "en",
    },
    "delete_voice": lambda has: {"name": has.voice, "delete_tests": False},
}  # fmt: skip

# Of the page, beside the API's: whole documents, and the files that it hands out. Gradio's own are below.
PAGE_ROUTES: dict[str, Callable[[Visitor, Belongings], object]] = {
    path: lambda b, has, path=path: b.ask("GET", path)
    for path in (
        "/",
        "/config",
        "/theme.css",
        "/favicon.ico",
        "/openapi.json",
        "/docs",
        "/robots.txt",
        "/manifest.json",
        "/monitoring/summary",
    )
} | {
    "/studio/history/{entry_id}": lambda b, has: b.ask("GET", f"/studio/history/{has.entry}", "/studio/history/{entry_id}"),
    "/studio/tests/{test_id}/{kind}": lambda b, has: [
        b.ask("GET", f"/studio/tests/{has.test}/{kind}", "/studio/tests/{test_id}/{kind}") for kind in LISTENING_FILES
    ],
    "/studio/bundles/{name}": lambda b, has: [
        b.ask("GET", f"/studio/bundles/{has.voice}{prompts}", "/studio/bundles/{name}") for prompts in ("", "?prompts=0")
    ],
    "/studio/spoken/{sound_id}": lambda b, has: b.ask("GET", f"/studio/spoken/{has.entry}", "/studio/spoken/{sound_id}"),
    "/studio/news": lambda b, has: b.tick(choice={"voice": has.voice, "engine": ENGINE}),
    "/studio/encoded": lambda b, has: [
        b.ask("POST", f"/studio/encoded{query}", "/studio/encoded", content=PCM, headers={"Content-Type": "audio/pcm"})
        for query in ("?format=flac&rate=24000", "?format=exe&rate=24000")
    ],
    "/agents.md": lambda b, has: b.ask("GET", "/agents.md"),
    "app_id": lambda b, has: b.ask("GET", "/gradio_api/app_id"),
    "info": lambda b, has: b.ask("GET", "/gradio_api/info"),
    "theme.css": lambda b, has: b.ask("GET", "/gradio_api/theme.css"),
    "startup-events": lambda b, has: b.ask("GET", "/gradio_api/startup-events"),
    "cancel": lambda b, has: b.post("/gradio_api/cancel", {"session_hash": "other", "fn_index": 0, "event_id": has.entry}),
    "reset": lambda b, has: b.post("/gradio_api/reset", {"event_id": has.entry}),
    "queue/data": lambda b, has: b.ask("GET", "/gradio_api/queue/data?session_hash=nobody-was-here"),
}


PAGE_ROUTES |= {  # the endpoints' two versions
    f"call/{version}{name}": lambda b, has, path=f"call/{version}{name}", arguments=arguments: b.call_by_name(path, arguments(has))
    for name, arguments in ARGUMENTS.items()
    for version in ("", "v2/")
}

# By event of the page, as PageEvents names them: what the script says with it, of each time that it is caused. None: nothing.
# What looks comes first, what deletes last.
LOOKS = (
    *("page.load", "page.load:name_page", "page.load:show_space_notes", "relay.greet"),
    *("cache-section.select", "cache-find.input", "news.bring"),
    *("voices-section.select", "history-section.select", "speak-section.select", "tests-section.select"),
    *("tests.look", "takes.look", "history.look", "voices.look", "voices.create", "creating.speak", "designing.speak"),
    *("cache-matrix.act>show_cache", "engine-cards.act>show_cache", "voices.act>show_voices", "history.act>show_history"),
    "takes.act>show_history",
)
EVENTS: dict[str, Callable[[Belongings], list]] = dict.fromkeys(LOOKS, lambda has: [None]) | {
    "creating.created": lambda has: [{"voice": has.voice}],
    "designing.created": lambda has: [{"voice": has.voice}],
    "voices.speak": lambda has: [{"voice": has.voice}],
    "endpoint.voices": lambda has: [[]],
    "endpoint.create_voice": lambda has: [[*ARGUMENTS["create_voice"](has).values()]],
    "endpoint.speak": lambda has: [[*ARGUMENTS["speak"](has).values()]],
    "endpoint.compare": lambda has: [[*ARGUMENTS["compare"](has).values()]],
    "endpoint.convert": lambda has: [[*ARGUMENTS["convert"](has).values()]],
    "relay.ask": lambda has: [
        {"run": "1", "request": {"input": SHORT, "voice": has.voice, "model": ENGINE}},
        {"run": "2", "request": {"voice": has.voice, "model": ENGINE}, "clip": {"draft": has.draft, "start": 0, "end": 50}},
    ],
    "relay.learn": lambda has: [
        *({"voice": has.voice, "engine": ENGINE}, {"part": {"take": has.entry, "part": 1}}),
        {"design": {"name": f"{has.voice} blend", "blend": "tone+tone", "engine": ENGINE, "text": SHORT}},
    ],
    "relay.hang_up": lambda has: [{"run": "1"}],
    "cache-matrix.act": lambda has: [
        {"voice": has.voice, "engine": ENGINE, "verb": verb}
        for verb in ("extract", "pin", "forget", "unpin", "extract-again", "forget", "delete-file")
    ],
    "cache-matrix.speak": lambda has: [{"voice": has.voice, "engine": ENGINE}],
    "engine-cards.act": lambda has: [{"engine": ENGINE, "verb": verb, "checkpoint": ""} for verb in ("load", "fetch", "cancel", "release")],
    "history.again": lambda has: [{"entry": has.entry}],
    "takes.again": lambda has: [{"entry": has.entry, "other": True}],
    "takes.act": lambda has: [{"act": "star", "entry": has.entry, "starred": True}],
    "history.act": lambda has: [{"act": "star", "entry": has.entry, "starred": True}],
    "voices.act": lambda has: [
        {"act": "edit", "voice": has.voice, "name": has.voice, "description": "mine", "tags": "a, b", "transcript": "one"},
        {"act": "edit", "voice": "Nobody", "name": has.voice},
        {"act": "replace", "voice": has.voice, "sent": sent()} | CONSENT,
        {"act": "restore", "undo": has.deleted},
        {"act": "preview", "sent": sent(has.bundle)},
        {"act": "import", "sent": sent(has.bundle)},
        {"act": "import", "sent": sent(has.bundle), "on_conflict": "keep both"},
        {"act": "delete", "voice": has.voice},
        {"act": "delete", "voice": f"{has.voice} (2)"},
    ],
    "endpoint.delete_voice": lambda has: [[has.voice, False], [has.voice, False]],  # which is there, and which is not
    "page.unload": lambda has: [None],
}

# By name: what each function is asked.
NOTHING_SAID = ("draft_choices", "list_aliases", "name_languages", "design_engines", "reading_texts")
FUNCTIONS: dict[str, Callable[[Belongings], list]] = dict.fromkeys(NOTHING_SAID, lambda has: [{}]) | {
    "show_choice": lambda has: [
        {"owner": ""},
        {"voice": has.voice, "engine": ENGINE, "gone": "", "seen": ""},
        {"voice": "Nobody", "engine": ENGINE, "gone": "", "seen": ""},
    ],
    "lane_choices": lambda has: [{"lanes": [{"voice": has.voice, "engine": ENGINE}, {"voice": "Nobody"}]}, {"lanes": []}],
    "measure_lane": lambda has: [
        {"pcm": base64.b64encode(PCM).decode(), "sample_rate": 24_000, "text": SHORT, "voice": has.voice, "language": ""}
    ],
    "note_first_sound": lambda has: [{"entry": has.entry, "seconds": 30.0}],
    "restore_takes": lambda has: [{"undo": has.deleted_takes}],
    "delete_takes": lambda has: [{"entries": [has.entry]}],
    "star_take": lambda has: [{"entry": has.entry, "starred": True}],
    "voice_tests": lambda has: [{"voice": has.voice}],
    "voice_uses": lambda has: [{"voice": has.voice}],
    "estimate_region": lambda has: [REGION | {"draft": has.draft}],
    "transcript_warning": lambda has: [REGION | {"draft": has.draft, "language": "en", "text": "one two"}],
    "show_test": lambda has: [{"id": has.test}],
    "keep_test": lambda has: [{"id": has.test, "plan": {"name": "Mine", "method": "ab"}}],
    "take_test_sound": lambda has: [{"id": has.test, "system": "a", "text": 0, "sent": sent()}],
    "show_findings": lambda has: [{"id": has.test}],
    **LISTENER_FUNCTIONS,
    **SCRIPT_FUNCTIONS,
    "act_on_test": lambda has: [{"id": has.test, "act": act} for act in ("stop", "close", "unblind", "copy", "delete")],
    "judge_table": lambda has: [{"sent": sent(SCORES)}, {"sent": sent(b"a,b\nc,d")}],
    "judged_file": lambda has: [{"sent": sent(SCORES), "kind": "tidy"}],
    "import_test": lambda has: [{"config": sent(b"no configuration"), "sounds": []}],
    "list_words": lambda has: [{}, {"written": "word of b"}],
    "keep_word": lambda has: [{"written": "word of b", "said": "wort", "ipa": "", "language": ""}],
    "heard_word": lambda has: [{"written": "word of b", "said": "wort", "engine": ENGINE, "text": "word of b"}],
    "export_words": lambda has: [{"format": "pls"}, {"format": "csv"}],
    "import_words": lambda has: [{"name": "words.csv", "data": base64.b64encode(b"written,said\none,won\n").decode()}],
    "delete_word": lambda has: [{"written": "word of b", "language": ""}, {"written": "unknown", "language": ""}],
    "keep_alias": lambda has: [{"name": "alias of b", "voice": has.voice}, {"name": has.voice, "voice": "tone"}],
    "remove_alias": lambda has: [{"name": "alias of b"}, {"name": has.voice}],
    "preview_text": lambda has: [{"text": "One. Two.", "engine": ENGINE}],
    "fetch_weights": lambda has: [{"engine": ENGINE}],
    "take_clip": lambda has: [sent(), sent(b"no sound")],
    "find_clip": lambda has: [{"draft": has.draft}],
    "region_sound": lambda has: [REGION | {"draft": has.draft}],
    "check_region": lambda has: [REGION | {"draft": has.draft}],
    "create_voice": lambda has: [
        REGION | CONSENT | {"draft": has.draft, "name": has.voice, "made": has.generation},
        CONSENT | {"before": [REGION | CONSENT | {"draft": has.draft}] * 2, "name": has.voice, "made": has.generation},
    ],
    "engine_rows": lambda has: [{"seconds": 4.0, "has_transcript": True}],
    "extract_voice": lambda has: [{"voice": has.voice, "engine": ENGINE}],
    "extraction_states": lambda has: [{"voice": has.voice}, {"voice": ""}],
    "clip_incompatibility": lambda has: [{"voice": has.voice}],
    "keep_design": lambda has: [{"name": f"{has.voice} blend", "blend": "tone+tone", "engine": ENGINE, "text": SHORT}],
    "look_at_tensor": lambda has: [{"sent": sent(PROMPT)}, {"sent": sent(b"no tensor")}],
    "adopt_tensor": lambda has: [
        CONSENT | {"sent": sent(PROMPT), "name": f"{has.voice} adopted"},
        CONSENT | {"sent": sent(b"no tensor"), "name": "x"},
    ],
    "judge_name": lambda has: [{"name": has.voice}, {"name": has.voice.upper()}, {"name": has.voice, "but": has.voice}],
    "make_demo": lambda has: [{}],
    "write_words": lambda has: [REGION | {"draft": has.draft}],
    "judge_words": lambda has: [{"text": "one two", "seconds": 2.0}],
    "drop_clip": lambda has: [{"draft": has.draft}],
}

# What of the above changes something for all visitors, as an answer has it in `asked`; none but the owner may.
OWNERS = ("event engine-cards.act", "call fetch_weights", f"POST {WEIGHTS}")

# By name of a tool: its arguments, in this order.
TOOLS: dict[str, Callable[[Belongings], dict[str, object]]] = {
    "voices": lambda has: {},
    "speak": lambda has: {"text": SHORT, "voice": has.voice, "engine": ENGINE},
    "compare": lambda has: {"text": SHORT, "lanes": [{"voice": has.voice}, {"voice": "tone"}]},
    "transcribe": lambda has: {"recording": base64.b64encode(BRIEF).decode()},
    "create_voice": lambda has: {"name": has.voice, "recording": base64.b64encode(wav(2.0)).decode(), "consent": "c1"},
    "delete_voice": lambda has: {"name": has.voice},
}
PAGE_ROUTES |= {
    f"tool {name}": lambda b, has, name=name, arguments=arguments: b.post(
        "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments(has)}}
    )
    for name, arguments in TOOLS.items()
}


def ask_everything(visitor: Visitor, has: Belongings) -> None:
    ask_the_page(visitor, has)
    ask_the_api(visitor, has)


def ask_the_page(visitor: Visitor, has: Belongings) -> None:
    """All that its scripts can ask, about a voice and ids. What changes something comes after what looks, and before another look."""
    values = {"voice": has.voice, "engine": ENGINE, "text": "one two", "cache-find": ""}
    look(visitor)
    for function, asked_of in FUNCTIONS.items():
        for asked in asked_of(has):
            visitor.call(function, asked)
    own = REGION | CONSENT | {"draft": visitor.call("take_clip", sent())["draft"], "name": has.voice}
    assert visitor.call("create_voice", own | {"made": has.generation})["voice"] == has.voice
    assert visitor.call("create_voice", own | {"made": None})["problem"]["code"] == "name_taken"
    for event, details_of in EVENTS.items():
        for details in details_of(has):
            visitor.event(event, values, details)
    look(visitor)


def ask_the_api(visitor: Visitor, has: Belongings) -> None:
    """All that has an address: the API, the page's files, and whatever else answers a request."""
    for ask in (*PAGE_ROUTES.values(), *ROUTES.values()):
        ask(visitor, has)
    look(visitor)


def look(visitor: Visitor) -> None:
    """What a person sees who opens every tab, and a program that lists everything."""
    for event in ("page.load", "voices-section.select", "cache-section.select", "history-section.select"):
        visitor.event(event, {})
    for route in ("/v1/audio/voices", "/v1/audio/cache/stats", "/v1/models", TESTS):
        visitor.ask("GET", route)
