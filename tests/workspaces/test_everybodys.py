"""What is everybody's: the demo, what vLLM-Omni made, and what whoever runs the studio has; and what is that person's alone."""

import asyncio

import httpx
import pytest
from starlette.types import ASGIApp

from engines.errors import EngineError
from studio.api.app import build_api
from studio.errors import NameReserved, SpeakerNotYours, UndoTooLate
from studio.service import Studio
from studio.speakers.clip_draft import ClipDrafts
from studio.speakers.demo import demo_recording
from studio.speakers.speaker import Speaker
from studio.speech.request import SpeechRequest
from studio.ui.cache.cache_tab import act_on_prompt, show_cache
from studio.ui.clips.clip_intake import take_clip
from studio.ui.create.creating import create_voice
from studio.ui.gradio.news import VerifiedDigests
from studio.ui.speak.speaking import choice_value, voice_names
from studio.ui.voices.voice_acts import act_on_voice, make_demo
from studio.ui.voices.voices import voices_value
from studio.workspace import EVERYBODY, NOBODY
from tests.studio.speakers.store_subjects import clip_of, everything, omni_file, recording
from tests.ui.clips.clips import wav_bytes
from tests.workspaces.world import sent

ANN, BO = "visitor:ann", "visitor:bo"


@pytest.fixture
def studio(open_studio) -> Studio:
    studio = open_studio(workspaces="private", warm_uploads=False)
    studio.enroll(demo_recording())
    studio.warm("Demo")
    return studio


def cell(studio: Studio) -> dict:
    return show_cache(studio, VerifiedDigests(), "Demo")[0]["rows"][0]["cells"][0]


# --- the demo


def test_the_demo_is_everybodys_and_no_visitor_changes_it(studio):
    before = {path: data for path, data in everything(studio.settings.speakers_dir).items() if "Demo" in path or "prompts" in path}
    studio.prompts.flush()
    view = studio.within(ANN)
    edit = {"act": "edit", "voice": "Demo", "name": "Demo", "description": "mine"}
    consent = {"reason": "own", "who": "Somebody"}
    replace = {"act": "replace", "voice": "Demo", "sent": sent(wav_bytes(4.0))} | consent
    for asked in (edit, {"act": "delete", "voice": "Demo"}, replace):
        assert act_on_voice(view, asked)["problem"]["code"] == "speaker_not_yours", asked
    for verb in ("forget", "delete-file", "pin", "unpin", "extract-again"):
        said = act_on_prompt(view, {"voice": "Demo", "engine": "fake", "verb": verb})
        assert said["code"] == "speaker_not_yours", verb
    for change in (lambda: view.forget("Demo"), lambda: view.evict("Demo"), lambda: view.warm("Demo", force=True)):
        with pytest.raises(SpeakerNotYours):
            change()
    with pytest.raises(NameReserved):
        view.enroll(recording("demo", clip=clip_of(2, seconds=2.0)))
    [chosen] = (voice for voice in choice_value(view, "Demo", "fake")["voices"] if voice["name"] == "Demo")
    assert not chosen["own"] and not voices_value(view)["voices"][0]["own"]
    assert {path: data for path, data in everything(studio.settings.speakers_dir).items() if path in before} == before
    assert cell(studio)["state"] == "memory" and not studio._parts.supply.activity.failure(studio.speaker("Demo").generation_id, "fake")


def test_the_demo_is_heard_by_all_and_nobody_sees_how_often_others_did(studio):
    with studio.within(ANN).speak(SpeechRequest("hello", speaker="Demo")) as speech:
        speech.read_all()
    assert speech.timeline.cache == "hit"
    assert "Demo" in voice_names(studio.within(BO), "fake")
    seen = cell(studio.within(BO))
    told = {"n_hits", "warm", "cold", "last_at"}
    assert seen["state"] == "memory" and not told & set(seen)
    assert told - {"cold"} <= set(cell(studio)) and cell(studio)["n_hits"] == 1


def test_the_first_who_asks_for_the_demo_brings_it_for_all(open_studio):
    studio = open_studio(workspaces="private", warm_uploads=False)
    for workspace in (ANN, BO, NOBODY):
        assert make_demo(studio.within(workspace), {})["voice"] == "Demo"
    assert [speaker.workspace for speaker in studio.store.speakers()] == [EVERYBODY]


# --- who is nobody


def test_who_does_not_say_who_it_is_keeps_nothing_on_the_page_either(studio):
    drafts = ClipDrafts().within(NOBODY)
    draft = take_clip(drafts, sent())["draft"]
    asked = {"draft": draft, "start": 0, "end": 4000, "name": "Zoe", "reason": "own", "who": "Somebody"}
    assert create_voice(studio.within(NOBODY), drafts, asked)["problem"]["code"] == "workspace_required"


# --- undoing


def test_a_strangers_undo_neither_brings_back_nor_keeps_from_coming_back(studio):
    ann = studio.within(ANN)
    ann.enroll(recording("Zoe", clip=clip_of(2, seconds=2.0)))
    gone = ann.library.set_aside("Zoe")
    told = []
    for stranger, undo in ((studio.within(BO), gone.generation_id), (studio.within(BO), "0" * 32), (studio, gone.generation_id)):
        with pytest.raises(UndoTooLate) as refused:
            stranger.library.restore(undo)
        told.append((refused.value.fact, refused.value.hint))
    assert len(set(told)) == 1
    assert ann.library.restore(gone.generation_id).generation == gone.generation


# --- folders that were somebody else's


def names(studio: Studio) -> list[str]:
    return [speaker.name for speaker in studio.speakers()]


def test_a_shared_studio_on_a_private_folder_shows_only_what_is_everybodys(open_studio, tmp_path):
    private = open_studio(folder="speakers", workspaces="private", warm_uploads=False)
    omni_file(tmp_path / "speakers")
    private.within(ANN).enroll(recording("Zoe", clip=clip_of(2, seconds=2.0)))
    with private.within(ANN).speak(SpeechRequest("kept", speaker="Zoe", keep=True)) as speech:
        speech.read_all()
    private.history.settle()
    shared = open_studio(folder="speakers")
    assert (names(private.within(ANN)), names(private.within(BO)), names(shared)) == (["Alice", "Zoe"], ["Alice"], ["Alice"])
    assert (shared.history.entries(), len(private.within(ANN).history.entries())) == ((), 1)
    with pytest.raises(EngineError):
        shared.speaker("Zoe")
    shared.enroll(recording("Zoe", clip=clip_of(5, seconds=2.0)))
    assert heard_of(private.within(ANN)) != heard_of(shared)


def heard_of(studio: Studio) -> str:
    speakers: tuple[Speaker, ...] = studio.speakers()
    return next(speaker.clip_digest for speaker in speakers if speaker.name == "Zoe")


# --- the meters


def metrics_of(api: ASGIApp, client: str, **headers: str) -> int:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(api, client=(client, 1234))
        async with httpx.AsyncClient(transport=transport, base_url="http://studio") as program:
            return await program.get("/metrics", headers=headers)

    return asyncio.run(ask()).status_code


def test_the_meters_are_for_whoever_runs_the_studio(open_studio):
    private = build_api(open_studio(workspaces="private", api_keys=("ann:first", "second")))
    proxied = {"X-Forwarded-For": "1.2.3.4"}
    assert metrics_of(private, "127.0.0.1") == metrics_of(private, "::1") == httpx.codes.OK
    assert metrics_of(private, "10.0.0.1", Authorization="Bearer second") == httpx.codes.OK
    refused = [metrics_of(private, client) for client in ("10.0.0.1", "testclient")]
    refused += [metrics_of(private, "127.0.0.1", **proxied), metrics_of(private, "10.0.0.1", Authorization="Bearer first")]
    refused += [
        metrics_of(private, "10.0.0.1", Authorization="Bearer nobody"),
        metrics_of(private, "10.0.0.1", Cookie="studio_session=1.2"),
    ]
    assert set(refused) == {httpx.codes.FORBIDDEN}
    owned = build_api(open_studio(api_keys=("ann:first", "owner:mine")))
    assert metrics_of(owned, "10.0.0.1", Authorization="Bearer mine") == httpx.codes.OK
    keyless = build_api(open_studio(workspaces="private"))
    assert metrics_of(keyless, "10.0.0.1", Authorization="Bearer x") == httpx.codes.FORBIDDEN
    assert metrics_of(build_api(open_studio()), "10.0.0.1") == httpx.codes.OK
