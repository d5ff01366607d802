"""Ingress and one deployment per engine, on a cluster of their own: what listeners get, and what they get when replicas die."""

import base64
import io
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import numpy as np
import pytest
import soundfile

from engines.clips.clip import Clip
from studio.scale.private_cluster import ServedApplication
from tests.scale.joined import ingress_urls, joined_cluster
from tests.stand_ins.fake_engine import SAMPLE_RATE, heard_pitch, pitch_of

pytestmark = [pytest.mark.scale, pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(240)]

ARGUMENTS = {"ingresses": "2", "replicas": "2"}
SECONDS_PER_CHARACTER = 0.05
LONG = "A long text. " * 1199 + "A long text."  # 780 s, more than queues and sockets hold for a listener who reads nothing
GATHERED = "gather xxxxxxxx of them here"  # eight of them
MOST_SECONDS = 60.0  # for what comes at last


class Served:
    """The cluster, and clients of each ingress."""

    def __init__(self, cluster, folder):
        from tests.scale.split_app import handle

        self.cluster, self.folder = cluster, folder
        self.clients: list[httpx.Client] = []
        self.find_ingresses()
        self.handle = handle()

    def statuses(self) -> list[dict]:
        """Of replicas that answer; none while the router still asks one that is gone."""
        from ray.exceptions import RayError
        from ray.serve.exceptions import RayServeException

        try:
            return self.handle.broadcast("status").results(timeout_s=MOST_SECONDS)
        except (RayError, RayServeException):
            return []

    def total(self, figure: str) -> int:
        return sum(status[figure] for status in self.statuses())

    def find_ingresses(self) -> None:
        """Those that there are now: serving with other arguments replaces them, too."""
        for client in self.clients:
            client.close()
        self.clients = [httpx.Client(base_url=url, timeout=MOST_SECONDS) for url in ingress_urls(self.cluster)]

    def enrol(self, name: str, seed: int) -> float:
        """A voice; its pitch at the fake engine, Hz."""
        samples = np.random.default_rng(seed).uniform(-0.5, 0.5, 2 * SAMPLE_RATE).astype(np.float32)
        file = io.BytesIO()
        soundfile.write(file, samples, SAMPLE_RATE, format="WAV", subtype="FLOAT")
        answer = self.clients[0].post(
            "/v1/audio/voices", data={"name": name, "consent": "yes"}, files={"audio_sample": ("a.wav", file.getvalue())}
        )
        assert answer.status_code == 200, answer.text
        return pitch_of(Clip(samples, SAMPLE_RATE).digest)

    def learn(self, name: str) -> None:
        """At the fake engine, onto the disk."""
        answer = self.clients[0].post(f"/v1/audio/voices/{name}/cache", params={"model": "fake"})
        assert answer.status_code == 200, answer.text

    def body(self, name: str, text: str, **more: object) -> dict:
        return {"input": text, "voice": name, "model": "fake", "response_format": "pcm"} | more

    def say(self, name: str, text: str = "Hello to everybody.", ingress: int = 0, **more: object) -> httpx.Response:
        return self.clients[ingress].post("/v1/audio/speech", json=self.body(name, text, **more))


def eventually(holds: Callable[[], object]) -> object:
    """What it gives as soon as that is something; fails where it never is."""
    deadline = time.monotonic() + MOST_SECONDS
    while time.monotonic() < deadline:
        if found := holds():
            return found
        time.sleep(0.05)
    raise AssertionError("it never came")


def samples_of(answer: httpx.Response) -> np.ndarray:
    assert answer.status_code == 200, answer.text
    return np.frombuffer(answer.content, "<i2").astype(np.float32) / 32768


@pytest.fixture(scope="module")
def served(tmp_path_factory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("split")
    (folder / "speakers").mkdir()
    with joined_cluster(ServedApplication("tests.scale.split_app:fakes", ARGUMENTS | {"folder": str(folder)}), ha_proxy=True) as cluster:
        served = Served(cluster, folder)
        assert len(served.clients) == 2
        yield served
        for client in served.clients:
            client.close()


def test_sixteen_askers_at_two_ingresses_cost_one_extraction(served):
    from tests.scale.split_app import closed_gate

    with ThreadPoolExecutor(16) as askers:
        with closed_gate(served.folder):
            served.enrol("Single", 1)
            answers = [askers.submit(served.say, "Single", ingress=number % 2) for number in range(16)]
            eventually(lambda: served.total("asked") >= 2)  # both ingresses wait for a prompt
            assert sorted(status["asked"] for status in served.statuses()) == [0, 2]  # at one replica
        assert {answer.result().status_code for answer in answers} == {200}
    assert served.total("extractions") == 1


def test_eight_listeners_of_one_ingress_wait_for_the_engine_side_by_side(served):
    served.enrol("Crowd", 2)
    assert served.say("Crowd").status_code == 200
    with ThreadPoolExecutor(8) as listeners:  # the engine speaks none of them before it was asked for all
        answers = list(listeners.map(lambda _: served.say("Crowd", GATHERED), range(8)))
    assert {len(samples_of(answer)) for answer in answers} == {int(len(GATHERED) * SECONDS_PER_CHARACTER * SAMPLE_RATE)}


def test_interleaved_speeches_are_each_in_the_voice_that_was_asked_for(served):
    pitches = {f"Voice {seed}": served.enrol(f"Voice {seed}", seed) for seed in range(10, 16)}
    asked = [name for _ in range(6) for name in pitches]
    with ThreadPoolExecutor(12) as listeners:
        answers = list(listeners.map(lambda item: served.say(item[1], ingress=item[0] % 2), enumerate(asked)))
    for name, answer in zip(asked, answers, strict=True):
        assert heard_pitch(samples_of(answer)) == pytest.approx(pitches[name], abs=3)


def test_a_voice_that_is_deleted_is_forgotten_by_all_replicas_and_spoken_by_no_ingress(served):
    from engines.contract.prompt import SpeakerPrompt

    pitch = served.enrol("Gone", 3)
    assert {served.say("Gone", ingress=number).status_code for number in (0, 1)} == {200}
    before = {digest for status in served.statuses() for digest in status["kept"]}
    prompts = (SpeakerPrompt.from_bytes(file.read_bytes()) for file in served.folder.rglob("*fake*.safetensors"))
    (prompt,) = (prompt for prompt in prompts if prompt.engine == "fake" and prompt.tensors["pitch_hz"][0] == pitch)
    served.handle.broadcast("prepare", prompt.to_bytes()).results(timeout_s=MOST_SECONDS)
    assert prompt.content_digest in before
    assert all(prompt.content_digest in status["kept"] for status in served.statuses())
    assert served.clients[0].delete("/v1/audio/voices/Gone").status_code == 200
    eventually(lambda: not any(prompt.content_digest in status["kept"] for status in served.statuses()))
    assert [served.say("Gone", ingress=number % 2).status_code for number in range(10)] == [400] * 10


def test_a_listener_who_hangs_up_ends_the_engines_stream(served):
    served.enrol("Short", 4)
    before = served.total("closed")
    with served.clients[0].stream("POST", "/v1/audio/speech", json=served.body("Short", LONG, stream_format="audio")) as answer:
        chunks = answer.iter_raw()  # kept: it closes the answer when it goes
        next(chunks)
        eventually(lambda: served.total("streaming") == 1)
    eventually(lambda: served.total("streaming") == 0)
    assert served.total("closed") == before + 1


def test_a_slow_listener_rests_the_engine_and_gets_all_of_it(served):
    served.enrol("Slow", 5)
    with served.clients[0].stream("POST", "/v1/audio/speech", json=served.body("Slow", LONG, stream_format="audio")) as answer:
        chunks = answer.iter_raw()
        size = len(next(chunks))
        eventually(lambda: served.total("streaming") == 1)
        size += sum(map(len, chunks))
    assert size == 2 * int(len(LONG) * SECONDS_PER_CHARACTER * SAMPLE_RATE)


@pytest.mark.parametrize("how", ["raw", "events"])
def test_who_listens_to_a_replica_that_is_killed_hears_what_nobody_disturbed(served, how):
    pitch = served.enrol("Killed", 6)
    served.learn("Killed")
    more = {"stream_format": "audio"} if how == "raw" else {"stream": True}
    undisturbed = sound_of(served.say("Killed", LONG, **more).content, how)
    with served.clients[0].stream("POST", "/v1/audio/speech", json=served.body("Killed", LONG, **more)) as answer:
        assert answer.status_code == 200
        chunks = answer.iter_raw()
        heard = next(chunks)
        os.kill(speaking(served), signal.SIGKILL)
        heard += b"".join(chunks)
    assert sound_of(heard, how) == undisturbed
    answer = served.say("Killed")
    assert heard_pitch(samples_of(answer)) == pytest.approx(pitch, abs=3)
    assert answer.headers["x-speaker-cache"] == "hit"
    assert served.say("Killed", ingress=1).headers["x-speaker-cache"] in ("hit", "disk")  # it is known, at no extraction
    eventually(lambda: len(served.statuses()) == 2)


def speaking(served: Served) -> int:
    (process,) = eventually(lambda: [status["process"] for status in served.statuses() if status["streaming"]])
    return process


def sound_of(body: bytes, how: str) -> bytes:
    if how == "raw":
        return body
    events = [json.loads(line[6:]) for line in body.decode().splitlines() if line.startswith("data: {")]
    assert [event["type"] for event in events if "audio" not in event] == ["speech.audio.done"]
    return b"".join(base64.b64decode(event["audio"]) for event in events if "audio" in event)


def test_an_extraction_whose_replica_is_killed_is_made_by_another(served):
    from tests.scale.split_app import closed_gate

    with ThreadPoolExecutor(1) as asker:
        with closed_gate(served.folder):
            pitch = served.enrol("Retried", 7)
            answer = asker.submit(served.say, "Retried")
            (process,) = eventually(lambda: [status["process"] for status in served.statuses() if status["waiting"]])
            os.kill(process, signal.SIGKILL)
            eventually(lambda: all(status["process"] != process for status in served.statuses()) and served.statuses())
        assert heard_pitch(samples_of(answer.result())) == pytest.approx(pitch, abs=3)
    eventually(lambda: len(served.statuses()) == 2)


def test_an_engine_that_is_broken_gets_a_fresh_process(served):
    served.enrol("Healed", 8)
    (speaking,) = (status["process"] for status in served.statuses() if _speaks(served, "Healed", status))
    served.handle.broadcast("break_down", speaking).results(timeout_s=MOST_SECONDS)
    codes = [served.say("Healed").status_code for _ in range(3)]
    assert codes == [500] * 3
    eventually(lambda: len(served.statuses()) == 2 and all(status["process"] != speaking for status in served.statuses()))
    assert served.say("Healed").status_code == 200


def _speaks(served: Served, name: str, before: dict) -> bool:
    served.say(name)
    (now,) = (status for status in served.statuses() if status["process"] == before["process"])
    return now["closed"] > before["closed"]


def test_speeches_under_way_end_whole_when_their_replica_is_to_go(served):
    from ray import serve

    from tests.scale.split_app import closed_gate

    eventually(lambda: len(served.statuses()) == 2)
    voices, text = (
        [f"Drained {seed}" for seed in range(30, 40)],
        "hold this speech until it may go on. " * 16 + "hold this speech until it may go on.",
    )
    for seed, voice in enumerate(voices, start=30):
        served.enrol(voice, seed)
        served.learn(voice)
        assert all(served.say(voice, ingress=ingress).status_code == 200 for ingress in range(2))  # nothing is left to extract
    begun = threading.Barrier(len(voices) + 1)

    def listen(voice: str) -> int:
        body = served.body(voice, text, stream_format="audio")
        with httpx.stream("POST", f"{served.cluster.url}/v1/audio/speech", json=body, timeout=MOST_SECONDS) as answer:
            assert answer.status_code == 200, answer.read()
            chunks = answer.iter_raw()
            size = len(next(chunks))
            begun.wait(MOST_SECONDS)
            return size + sum(map(len, chunks))

    with ThreadPoolExecutor(len(voices)) as listeners:
        with closed_gate(served.folder):
            sizes = [listeners.submit(listen, voice) for voice in voices]
            begun.wait(MOST_SECONDS)
            streaming = [status["streaming"] for status in served.statuses()]
            assert len(streaming) == 2 and all(streaming), streaming  # both replicas speak
            one = ServedApplication("tests.scale.split_app:fakes", ARGUMENTS | {"folder": str(served.folder), "replicas": "1"})
            changing = threading.Thread(target=served.cluster.serve, args=([one],))
            changing.start()
            eventually(lambda: "STOPPING" in map(str, serve.status().applications["studio"].deployments["fake"].replica_states))
        assert [size.result() for size in sizes] == [2 * int(len(text) * SECONDS_PER_CHARACTER * SAMPLE_RATE)] * len(voices)
        changing.join()
    eventually(lambda: len(served.statuses()) == 1)
    served.find_ingresses()


def test_while_an_engines_deployment_is_down_the_ingress_speaks_by_its_own(served):
    from tests.scale.split_app import BROKEN, EMBEDDED

    served.enrol("Stays", 20)
    assert served.say("Stays").status_code == 200
    body = served.body("Stays", LONG, stream=True)
    with served.clients[0].stream("POST", "/v1/audio/speech", json=body) as listening:
        chunks = listening.iter_raw()
        next(chunks)
        speaking(served)
        (served.folder / BROKEN).touch()
        for status in served.statuses():
            os.kill(status["process"], signal.SIGKILL)
        error = json.loads(b"".join(chunks).rstrip().rpartition(b"data: ")[2])["error"]
    assert error["reason_code"] == "engine_failed"
    assert "was lost in the middle of the speech" in error["message"]
    assert served.say("slt", model=EMBEDDED).status_code == 200
    answer = served.say("Stays")
    assert answer.status_code == 503
    assert answer.json()["error"]["reason_code"] == "engine_unreachable"
    assert int(answer.headers["retry-after"]) >= 1
    assert served.say("slt", model=EMBEDDED).status_code == 200
