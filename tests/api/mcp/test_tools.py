"""The tools of MCP: what is listed, what each does and gives, and what an agent reads where it cannot."""

import base64
import json

import numpy as np
import pytest

from studio.api.mcp import tool_run
from studio.api.mcp.agents_md import BY_HTTP
from studio.api.mcp.problems import OWN_FACTS, OWN_HINTS
from studio.api.mcp.tools import ARGUMENTS, listed
from studio.words.sentences import sentences_in
from studio.words.tools import TOOL_WORDS
from tests.api.door import CLONE_ONLY, pcm, samples_of
from tests.api.mcp.agent import RECORDING, Agent, misfit, names_no_route
from tests.stand_ins.fake_engine import FakeEngine
from tests.stand_ins.whisper_stand_in import WORDS, install
from tests.ui.clips.clips import wav_bytes

TOOLS = {tool["name"]: tool for tool in listed()}


@pytest.fixture
def agent(open_door) -> Agent:
    return Agent(open_door(mcp=True))


def given(agent: Agent, tool: str, **arguments: object) -> dict:
    """The values, which are what the tool's output schema says."""
    values = agent.values(tool, **arguments)
    assert misfit(values, TOOLS[tool]["outputSchema"]) == ""
    return values


def test_every_tool_and_argument_is_told_in_plain_words():
    assert [*TOOLS] == [*ARGUMENTS] == ["speak", "voices", "create_voice", "delete_voice", "transcribe", "compare"]
    for name, tool in TOOLS.items():
        properties = tool["inputSchema"]["properties"]
        assert set(properties) == set(TOOL_WORDS[name].arguments) and all(each["description"] for each in properties.values())
        assert names_no_route(json.dumps([tool["description"], [each["description"] for each in properties.values()]]))
        assert "$ref" not in json.dumps(tool) and tool["outputSchema"]["type"] == "object"
    assert set(BY_HTTP) == set(ARGUMENTS)
    assert "consent" in TOOLS["create_voice"]["inputSchema"]["required"]
    changing = {name for name, tool in TOOLS.items() if not tool["annotations"]["readOnlyHint"]}
    assert changing == {name for name, tool in TOOLS.items() if tool["annotations"]["destructiveHint"]} == {"create_voice", "delete_voice"}


def test_speech_comes_as_values_as_sound_and_by_a_link_for_who_has_no_key(open_door):
    door = open_door(mcp=True, api_keys=("k",))
    result = Agent(door, Authorization="Bearer k").call("speak", text="hello there", voice="tone", format="wav")
    text, audio = result["content"]
    values = result["structuredContent"]
    assert json.loads(text["text"]) == values and (audio["type"], audio["mimeType"]) == ("audio", "audio/wav")
    sound, rate = samples_of(base64.b64decode(audio["data"]))
    assert len(sound) / rate == pytest.approx(values["seconds"], abs=1e-3) and np.abs(sound).max() > 0.1
    fetched = door.get(values["url"])
    assert (fetched.content, fetched.headers["content-type"]) == (base64.b64decode(audio["data"]), "audio/wav")
    direct = door.post("/v1/audio/speech", json={"input": "hello there", "voice": "tone"}, headers={"Authorization": "Bearer k"})
    assert fetched.content == direct.content and values["bytes"] == len(direct.content)
    assert door.get(values["url"].replace("/sounds/", "/sounds/0")).status_code == 404


def test_links_are_whole_addresses_also_behind_a_proxy(open_door):
    agent = Agent(open_door(mcp=True, root_path="/below"), **{"X-Forwarded-Proto": "https", "X-Forwarded-Host": "voices.example"})
    assert agent.values("speak", text="hi")["url"].startswith("https://voices.example/below/mcp/sounds/")
    told = agent.door.get("/agents.md", headers={"X-Forwarded-Host": "voices.example"}).text
    assert "http://voices.example/below/mcp\n" in told and all(words.about in told for name, words in TOOL_WORDS.items() if name in TOOLS)


def test_a_sound_beyond_the_bound_is_a_link_for_clients_that_know_such(agent, monkeypatch):
    monkeypatch.setattr(tool_run, "MOST_INLINE_BYTES", 1000)
    call = {"name": "speak", "arguments": {"text": "hello", "format": "wav"}}
    _, link = agent.post("tools/call", call).json()["result"]["content"]
    assert (link["type"], link["mimeType"]) == ("resource_link", "audio/wav")
    assert len(agent.door.get(link["uri"]).content) == link["size"] > 1000
    earlier = agent.post("tools/call", call, **{"MCP-Protocol-Version": "2025-03-26"}).json()["result"]
    assert [each["type"] for each in earlier["content"]] == ["text"] and "url" in earlier["structuredContent"]


@pytest.mark.parametrize("recording", [RECORDING, f"data:audio/wav;base64,{RECORDING}", "\n".join((RECORDING[:76], RECORDING[76:]))])
def test_a_voice_is_made_speaks_and_is_deleted(agent, recording):
    made = given(agent, "create_voice", name="Ana", recording=recording, consent="mine", transcript="one two", language="English")
    assert (made["name"], made["seconds"], made["transcript"], made["language"]) == ("Ana", 2.0, "one two", "en")
    assert made["engines"] == [{"id": "fake", "speaks": True}]
    assert agent.door.studio.speaker("ana").consent == "mine"
    spoken = given(agent, "speak", text="hello", voice="ana", options={"speed": 2.0})
    assert spoken["voice"] == "Ana" and spoken["seconds"] * 2 == given(agent, "speak", text="hello", voice="tone")["seconds"]
    assert "Did you mean Ana?" in agent.refusal("speak", text="hello", voice="Anna")[2]
    voices = given(agent, "voices")["voices"]
    assert [(each["name"], each["kind"], each["own"]) for each in voices] == [("Ana", "created", True), ("tone", "built_in", False)]
    assert given(agent, "delete_voice", name="Ana") == {"deleted": "Ana"}
    assert [each["name"] for each in given(agent, "voices")["voices"]] == ["tone"]


@pytest.mark.slow
def test_a_comparison_tells_how_its_lanes_differ_and_why_one_failed(agent):
    lanes = [{"voice": "tone", "options": {"speed": 2.0}}, {"engine": "fake"}, {"voice": "nobody"}]
    result = agent.call("compare", text="one text, said in ways", lanes=lanes, format="wav")
    fast, plain, failed = result["structuredContent"]["lanes"]
    assert misfit(result["structuredContent"], TOOLS["compare"]["outputSchema"]) == ""
    assert fast["seconds"] * 2 == plain["seconds"] and -60 < fast["lufs"] < 0 and plain["ttfp_ms"] > 0
    assert (failed["code"], failed["argument"], "url" in failed) == ("speaker_unknown", "lanes.2.voice", False)
    sounds = [base64.b64decode(each["data"]) for each in result["content"][1:]]
    assert sounds == [agent.door.get(lane["url"]).content for lane in (fast, plain)]


def test_a_recording_is_written_down_where_the_studio_can(open_door, monkeypatch, tmp_path):
    agent = Agent(open_door(mcp=True, transcriber=install(monkeypatch, tmp_path / "weights").checkpoint))
    told = given(agent, "transcribe", recording=base64.b64encode(wav_bytes(1.5)).decode())
    assert told == {"text": WORDS, "language": "en", "seconds": 1.5, "model": "weights"}


def test_each_sees_and_deletes_the_voices_of_their_own_key(open_door):
    door = open_door(mcp=True, api_keys=("ana:k1", "ben:k2"), workspaces="private")
    ana, ben = (Agent(door, Authorization=f"Bearer {key}") for key in ("k1", "k2"))
    ana.values("create_voice", name="Ana", recording=RECORDING, consent="mine")
    assert ben.refusal("speak", text="hi", voice="Ana")[:2] == ("voice", "speaker_unknown")
    assert ben.refusal("delete_voice", name="Ana")[:2] == ("name", "speaker_unknown")
    assert [each["name"] for each in ana.values("voices")["voices"]] == ["Ana", "tone"]
    assert Agent(door).post("tools/list").status_code == 401


def test_who_connects_without_a_key_has_voices_of_their_own_by_a_session(open_door):
    door = open_door(mcp=True, workspaces="private")
    ana, ben = (Agent(door, **{"Mcp-Session-Id": Agent(door).post("initialize").headers["mcp-session-id"]}) for _ in range(2))
    ana.values("create_voice", name="Ana", recording=RECORDING, consent="mine")
    assert ana.values("speak", text="hi", voice="Ana")["voice"] == "Ana"
    assert ben.refusal("speak", text="hi", voice="Ana")[1] == Agent(door).refusal("speak", text="hi", voice="Ana")[1] == "speaker_unknown"
    assert "mcp-session-id" not in ana.post("initialize").headers


def test_who_has_no_workspace_is_told_what_to_send(open_door):
    agent = Agent(open_door(mcp=True, workspaces="private"))
    argument, code, text = agent.refusal("create_voice", name="Ana", recording=RECORDING, consent="mine")
    assert (argument, code) == ("", "workspace_required") and "Authorization: Bearer" in text and names_no_route(text)


REFUSED = [
    ("speak", {}, "text", "schema_invalid", "text is missing"),
    ("speak", {"text": ""}, "text", "text_unspeakable", "nothing to say"),
    ("speak", {"text": "hi", "voice": "zzz"}, "voice", "speaker_unknown", "`voices` lists"),
    ("speak", {"text": "hi", "engine": "no"}, "engine", "engine_unknown", "`voices` lists the engines"),
    ("speak", {"text": "hi", "language": "Klingon", "engine": "fake"}, "language", "language_unsupported", "`voices` lists the languages"),
    ("speak", {"text": "hi", "format": "exe"}, "format", "schema_invalid", "mp3, wav, flac, opus, aac"),
    ("speak", {"text": "hi", "tempo": 2}, "tempo", "schema_invalid", "no such argument"),
    ("speak", {"text": "hi", "options": "fast"}, "options", "schema_invalid", "It is an object"),
    ("speak", {"text": "hi", "options": {"tempo": 2}}, "options.tempo", "option_invalid", "no setting tempo"),
    ("speak", {"text": "hi", "options": {"speed": 9}}, "options.speed", "schema_invalid", "4 is the limit"),
    ("speak", {"text": "hi", "options": {"voice": "tone"}}, "options.voice", "schema_invalid", "argument of its own"),
    ("speak", {"text": "hi", "engine": "clone"}, "voice", "speaker_required", "Name a voice"),
    ("create_voice", {"name": "A", "recording": RECORDING}, "consent", "schema_invalid", "consent is missing"),
    ("create_voice", {"name": "A", "recording": RECORDING, "consent": " "}, "consent", "consent_missing", "Ask for it"),
    ("create_voice", {"name": "a/b", "recording": RECORDING, "consent": "c"}, "name", "name_invalid", "Choose another name"),
    ("create_voice", {"name": "tone", "recording": RECORDING, "consent": "c"}, "name", "name_reserved", "built into"),
    ("create_voice", {"name": "A", "recording": "no base64!", "consent": "c"}, "recording", "data_url_invalid", "base64"),
    ("create_voice", {"name": "A", "recording": "aGVsbG8gd29ybGQ=", "consent": "c"}, "recording", "audio_undecodable", "text file"),
    ("create_voice", {"name": "A", "recording": "http://127.0.0.1/a", "consent": "c"}, "recording", "remote_audio_disabled", "base64"),
    ("create_voice", {"name": "A", "recording": "file:///etc/passwd", "consent": "c"}, "recording", "local_audio_disabled", "base64"),
    ("create_voice", {"name": "A", "recording": "ftp://x/a", "consent": "c"}, "recording", "ref_audio_scheme_unknown", "data: URL"),
    ("delete_voice", {"name": "zzz"}, "name", "speaker_unknown", "`voices` lists"),
    ("transcribe", {"recording": RECORDING}, "", "transcriber_missing", "cannot write down"),
    ("compare", {"text": "hi", "lanes": [{}]}, "lanes", "schema_invalid", "2 is the least"),
    ("compare", {"text": "hi", "lanes": [{}, {"tempo": 2}]}, "lanes.1.tempo", "schema_invalid", "voice, engine, options"),
    ("compare", {"text": "hi", "lanes": [{"options": {"seed": "x"}}, {}]}, "lanes.0.options.seed", "schema_invalid", "description"),
    ("compare", {"text": "hi", "lanes": [{"voice": "zzz"}, {"engine": "no"}]}, "lanes.0.voice", "speaker_unknown", "lanes.1.engine"),
]


def test_what_goes_wrong_names_the_tool_its_argument_and_the_next_step(open_door):
    agent = Agent(open_door(FakeEngine(), FakeEngine(CLONE_ONLY), mcp=True))
    for tool, arguments, *wanted, part in REFUSED:
        argument, code, text = agent.refusal(tool, **arguments)
        assert [argument, code] == wanted and part in text and names_no_route(text), (tool, arguments, argument, code, text)
        assert text.startswith(f"{tool}, `{argument}`: " if argument else f"{tool}: ")


def test_null_is_what_was_left_out(agent):
    assert agent.values("speak", text="hi", voice=None, options=None)["voice"] == "tone"


def test_a_defect_is_told_without_its_insides_and_logged(agent, monkeypatch, caplog):
    monkeypatch.setattr(agent.door.studio, "say", lambda *_, **__: {}["/secret/path"])
    argument, code, text = agent.refusal("speak", text="hi")
    assert (argument, code) == ("", "defect") and "secret" not in text and "KeyError" in caplog.text
    assert caplog.text.count("door=") == caplog.text.count("door=mcp code=internal_error") == 1


def test_own_sentences_are_for_codes_that_there_are():
    known = set(sentences_in("en").sections["errors"])
    assert set(OWN_HINTS) | set(OWN_FACTS) <= known
    assert all(map(names_no_route, (hint for code, hint in OWN_HINTS.items() if code != "speaker_shadowed")))


def test_pcm_of_a_link_is_that_of_the_speech(agent):
    values = agent.values("speak", text="hello", format="flac")
    sound, _ = samples_of(agent.door.get(values["url"]).content)
    direct = agent.door.speak("hello", response_format="pcm")
    assert np.abs(sound - pcm(direct.content)[: len(sound)]).max() < 1e-3 and len(sound) == len(direct.content) // 2
