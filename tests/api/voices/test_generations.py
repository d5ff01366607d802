"""A name whose voice changes under load. The fake engine speaks at a pitch made of the recording, so every answer tells whose it is."""

import asyncio
from collections import Counter

import httpx
import pytest

from tests.api.door import Door, Gate, pcm, pitch_of_voice, wav
from tests.stand_ins.fake_engine import FakeEngine, heard_pitch

N_BEFORE, N_AFTER = 60, 40
OLD_HZ, NEW_HZ = 220.0, 331.0  # of the recordings, which makes them two


def asking(door: Door, work) -> None:
    """Run `work(client)` with one client that needs no socket."""

    async def run() -> None:
        transport = httpx.ASGITransport(door.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://door", timeout=60) as client:
            await work(client)

    asyncio.run(run())


async def speak(client: httpx.AsyncClient) -> float | None:
    """Hz of the answer; None where there is no such voice."""
    body = {"input": "Who is speaking?", "voice": "alice", "response_format": "pcm"}
    response = await client.post("/v1/audio/speech", json=body)
    if response.status_code == 400:
        assert response.json()["error"]["reason_code"] == "speaker_unknown"
        return None
    assert response.status_code == 200
    return heard_pitch(pcm(response.content))


async def replace(client: httpx.AsyncClient) -> None:
    assert (await client.delete("/v1/audio/voices/alice")).status_code == 200
    sample = ("a.wav", wav(1.5, hz=NEW_HZ), "audio/wav")
    uploaded = await client.post("/v1/audio/voices", files={"audio_sample": sample}, data={"name": "alice", "consent": "c2"})
    assert uploaded.status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize("warm_uploads", [False, True])
def test_a_hundred_requests_around_a_delete_and_an_upload_never_get_the_wrong_generation(open_door, warm_uploads):
    gate = Gate()
    engine = FakeEngine(before_chunk=gate)
    door = open_door(engine, warm_uploads=warm_uploads, most_waiting=N_BEFORE + N_AFTER)
    door.upload("alice", wav(1.5, hz=OLD_HZ))
    old = pitch_of_voice(door, "alice")
    heard = {}

    async def work(client: httpx.AsyncClient) -> None:
        before = [asyncio.create_task(speak(client)) for _ in range(N_BEFORE)]
        await asyncio.to_thread(gate.wait_for_arrival)  # the engine is inside a chunk of the old voice
        await replace(client)
        after = [asyncio.create_task(speak(client)) for _ in range(N_AFTER)]
        gate.open()
        heard["before"], heard["after"] = await asyncio.gather(*before), await asyncio.gather(*after)

    asking(door, work)
    new = pitch_of_voice(door, "alice")
    assert abs(old - new) > 10

    def named(hz: float | None) -> str:
        voices = {"old": old, "new": new}
        return "none" if hz is None else next((name for name, pitch in voices.items() if abs(hz - pitch) < 4), f"{hz} Hz")

    assert Counter(map(named, heard["after"])) == {"new": N_AFTER}
    assert set(map(named, heard["before"])) <= {"old", "new", "none"}
    assert "old" in map(named, heard["before"])
    _assert_nothing_old_is_left(door, engine)


def _assert_nothing_old_is_left(door: Door, engine: FakeEngine) -> None:
    """In memory, on disk and in the engine there is one prompt: the new one."""
    stats = door.studio.stats()
    assert (stats.entries, stats.in_flight) == (1, 0)
    door.studio.warm("alice")  # waits for the writer and for what the engine was told to forget
    digest = door.studio.speaker("alice").clip_digest
    prompts = list(door.folder.glob("prompts/**/*.safetensors"))
    speakers = list(door.folder.glob("*.safetensors"))
    assert (len(prompts), len(speakers)) == (1, 1)
    assert digest.encode() in prompts[0].read_bytes()
    assert len(engine.prepared) == 1


def test_sixteen_clients_who_ask_at_once_for_a_voice_never_used_cause_one_extraction(open_door):
    gate = Gate()
    door = open_door(FakeEngine(before_extract=gate))
    door.upload("alice")

    async def work(client: httpx.AsyncClient) -> None:
        asked = [asyncio.create_task(speak(client)) for _ in range(16)]
        await asyncio.to_thread(gate.wait_for_arrival)
        while door.studio.stats().joined < 15:
            await asyncio.sleep(0.001)
        gate.open()
        pitches = await asyncio.gather(*asked)
        assert {round(hz) for hz in pitches} == {round(pitches[0])}

    asking(door, work)
    stats = door.get("/v1/audio/cache/stats").json()
    assert (stats["extractions"], stats["misses"], stats["joined"]) == (1, 1, 15)
