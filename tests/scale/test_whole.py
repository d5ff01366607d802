"""Whole studios as replicas behind HAProxy: one truth about voices, one studio per key, keys and limits, streams and sockets."""

import json
import socket
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from websockets.sync.client import connect

from tests.api.socket.socket_client import PCM, SocketClient
from tests.scale.replicas import KEY, PREFIX
from tests.stand_ins import patient_http

pytestmark = pytest.mark.scale

N_TURNS = 50


def test_what_one_replica_stored_or_deleted_is_so_at_the_other_at_once(replicas):
    one, other = replicas.sessions().values()
    refused, spoken = [], []
    for turn in range(N_TURNS):
        name = f"turn{turn}"
        assert replicas.upload(name, session=one).status_code == 200
        heard = replicas.speak(voice=name, session=other)
        if heard.status_code != 200:
            refused.append((turn, heard.text))
        assert replicas.request("DELETE", f"/v1/audio/voices/{name}", session=one).status_code == 200
        gone = replicas.speak(voice=name, session=other)
        if gone.status_code == 200:
            spoken.append(turn)
        one, other = other, one
    assert not refused
    assert not spoken


def test_a_session_stays_at_one_replica_and_sessions_spread_over_both(replicas):
    def answered(session: str) -> set[str]:
        return {replicas.request("GET", "/v1/models/fake", session=session).headers["x-replica"] for _ in range(3)}

    homes = [answered(f"visitor {number}") for number in range(40)]
    assert all(len(home) == 1 for home in homes)
    of_first = sum(home == homes[0] for home in homes)
    assert 8 <= of_first <= 32


def test_without_a_session_the_voice_decides_in_bodies_and_in_paths(replicas):
    names = [f"voice{number}" for number in range(12)]
    for name in names:
        replicas.upload(name)
    homes = {}
    for name in names:
        spoken = [replicas.speak(voice=spelt) for spelt in (name, name.upper(), name)]
        assert [answer.status_code for answer in spoken] == [200] * 3
        warmed = replicas.request("POST", f"/v1/audio/voices/{name}/cache")
        homes[name] = {answer.headers["x-replica"] for answer in (*spoken, warmed)}
    assert all(len(home) == 1 for home in homes.values()), homes
    assert len(set().union(*homes.values())) == 2
    for name in names:
        replicas.request("DELETE", f"/v1/audio/voices/{name}")


def test_a_voice_that_many_ask_for_at_a_time_is_spoken_by_both(replicas):
    def answered(_: int) -> str:
        return replicas.speak("slowly spoken", voice="tone").headers["x-replica"]

    with ThreadPoolExecutor(24) as askers:
        homes = Counter(askers.map(answered, range(24)))
    assert len(homes) == 2, homes


def test_a_browser_is_given_a_cookie_once_and_it_is_its_session(replicas):
    with patient_http.Client(base_url=replicas.cluster.url, headers={"Authorization": f"Bearer {KEY}"}) as browser:
        first = browser.get("/docs", headers={"Accept": "text/html"})
        assert "studio_affinity=" in first.headers["set-cookie"]
        again = [browser.get("/v1/models/fake", headers={"Accept": "text/html"}) for _ in range(4)]
    assert all("set-cookie" not in answer.headers for answer in again)
    assert {answer.headers["x-replica"] for answer in (first, *again)} == {first.headers["x-replica"]}
    assert "set-cookie" not in replicas.request("GET", "/v1/models/fake").headers
    assert not {"max-age", "expires"} & set(
        first.headers["set-cookie"].lower().replace("=", " ").split()
    )  # it goes with the browser's session


def test_keys_and_limits_of_bodies_hold_below_a_prefix_too(replicas):
    for prefix in ("", PREFIX):
        url = f"{replicas.cluster.url}{prefix}/v1/audio/voices"
        assert patient_http.get(url).status_code == 401
        assert patient_http.get(url, headers={"Authorization": "Bearer another"}).status_code == 401
        assert replicas.request("GET", f"{prefix}/v1/audio/voices").status_code == 200
        large = replicas.request(
            "POST", f"{prefix}/v1/audio/speech", content=b" " * (65 << 20), headers={"Content-Type": "application/json"}
        )
        assert (large.status_code, large.json()["error"]["reason_code"]) == (413, "body_too_large")


def test_a_request_has_one_id_in_its_answer(replicas):
    answer = replicas.request("GET", "/v1/models/fake", headers={"X-Request-Id": "mine"})
    assert answer.headers.get_list("x-request-id") == ["mine"]


def test_a_websocket_speaks_through_haproxy(replicas):
    address = replicas.cluster.url.replace("http", "ws") + "/v1/audio/speech/stream"
    with connect(address, additional_headers={"Authorization": f"Bearer {KEY}"}) as connection:
        assert not connection.protocol.extensions
        client = SocketClient(connection)
        client.say("session.config", voice="tone", **PCM)
        client.say_text("hello there")
        heard = client.hear_utterance()
    assert sum(len(part) for part in heard if isinstance(part, bytes)) > 10_000


def test_who_hangs_up_ends_the_work_of_the_engine(replicas):
    process, session = next(iter(replicas.sessions().items()))
    note = replicas.notes / f"closed-{process}"
    note.unlink(missing_ok=True)
    body = {"input": "slowly " + "word " * 400, "voice": "tone", "response_format": "pcm", "stream": True, "stream_format": "audio"}
    headers = {"Authorization": f"Bearer {KEY}", "X-Session-Id": session}
    with patient_http.stream("POST", replicas.cluster.url + "/v1/audio/speech", json=body, headers=headers) as answer:
        assert answer.headers["x-replica"] == str(process)
        next(answer.iter_bytes())
    replicas.noted(note.name)


def test_figures_of_haproxy_are_shown_on_this_machine_alone(replicas):
    (file,) = replicas.cluster.folder.glob("h/*/haproxy.cfg")
    bound = [line.split()[1] for line in file.read_text().splitlines() if line.strip().startswith("bind ")]
    assert len(bound) == 3
    assert all(address.startswith("127.0.0.1:") for address in bound)


def test_events_arrive_one_by_one(replicas):
    body = {"input": "slowly spoken words", "voice": "tone", "response_format": "pcm", "stream": True}
    headers = {"Authorization": f"Bearer {KEY}"}
    with patient_http.stream("POST", replicas.cluster.url + "/v1/audio/speech", json=body, headers=headers) as answer:
        events = [json.loads(line[6:]) for line in answer.iter_lines() if line.startswith("data: {")]
    assert events[0]["type"] == "speech.audio.delta"
    assert events[-1]["type"] == "speech.audio.done"
    assert len(events) > 5


def test_ray_itself_is_reached_from_this_machine_alone(replicas):
    """But for what its replicas call each other by, which asks for the token."""
    found = {}
    for process in [replicas.cluster.driver.pid, *replicas.cluster.processes()]:
        title = Path(f"/proc/{process}/cmdline").read_bytes().decode().partition("\0")[0]
        if open_to_all := _listening_everywhere(process):
            found[title] = open_to_all
    assert all(title.startswith("ray::ServeReplica") and len(open_to_all) == 1 for title, open_to_all in found.items()), found


def _listening_everywhere(process: int) -> set[int]:
    """Ports at which it listens on all addresses."""
    sockets = set()
    for handle in Path(f"/proc/{process}/fd").iterdir():
        try:
            target = str(handle.readlink())
        except OSError:  # closed meanwhile
            continue
        if target.startswith("socket:["):
            sockets.add(target[8:-1])
    ports = set()
    for table in ("tcp", "tcp6"):
        for row in Path(f"/proc/net/{table}").read_text(encoding="utf-8").splitlines()[1:]:
            _, local, _, state, *_, inode = row.split()[:10]
            address, port = local.split(":")
            if state == "0A" and inode in sockets and not int(address, 16):
                ports.add(int(port, 16))
    return ports


def test_who_lies_about_who_asks_is_slowed_down_in_guessing_keys_all_the_same(replicas):
    with httpx.Client(base_url=replicas.cluster.url, transport=httpx.HTTPTransport(local_address="127.0.0.2"), timeout=60) as stranger:
        answers = [
            stranger.get(
                "/v1/models",
                headers={"Authorization": f"Bearer guess {number}", "X-Forwarded-For": f"203.0.113.{number}", "X-Session-Id": "guesser"},
            )
            for number in range(12)
        ]
    assert [answer.status_code for answer in answers] == [401] * 10 + [429] * 2


def test_a_head_that_does_not_go_on_is_given_up(replicas):
    host, port = replicas.cluster.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        with connection.makefile("rb") as answer:
            assert answer.read().startswith(b"HTTP/1.1 408 ")
