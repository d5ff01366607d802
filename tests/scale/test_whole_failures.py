"""What listeners notice when a replica is killed or sent away: a cut, a repetition, nothing; never another voice and never silence."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.scale.replicas import KEY, served
from tests.stand_ins import patient_http

pytestmark = pytest.mark.scale

LONG = "slowly " + "w" * 233  # 12 s, in real time
LONG_BYTES = 12 * 24_000 * 2
N_SPEECHES = 2  # one at each: an engine's thread sleeps for each in turn


def _stream(replicas, session: str, **fields):
    headers = {"Authorization": f"Bearer {KEY}", "X-Session-Id": session}
    body = {"input": LONG, "voice": "tone", "response_format": "pcm", "stream": True} | fields
    return patient_http.stream("POST", replicas.cluster.url + "/v1/audio/speech", json=body, headers=headers)


def test_a_raw_stream_of_a_killed_replica_is_cut_and_the_next_request_is_served(replicas):
    process, session = next(iter(replicas.sessions().items()))
    with _stream(replicas, session, stream_format="audio") as answer:
        heard = answer.iter_bytes()
        next(heard)
        replicas.kill(process)
        with pytest.raises(httpx.RemoteProtocolError):
            b"".join(heard)
    after = replicas.speak(voice="tone", session=session)
    assert after.status_code == 200
    assert after.headers["x-replica"] != str(process)


def test_events_of_a_killed_replica_are_cut_or_end_in_an_error(replicas):
    process, session = next(iter(replicas.sessions().items()))
    with _stream(replicas, session) as answer:
        heard, lines = answer.iter_lines(), []
        next(heard)
        replicas.kill(process)
        try:
            lines.extend(heard)
        except httpx.RemoteProtocolError:
            lines.append('data: {"type": "error"}')
    events = [json.loads(line[6:])["type"] for line in lines if line.startswith("data: {")]
    assert events[-1] == "error"


def test_an_extraction_whose_replica_is_killed_is_repeated_by_the_other_one_or_refused_in_our_words(replicas):
    process, session = next(iter(replicas.sessions().items()))
    replicas.upload("erin")
    (replicas.notes / f"extracting-{process}").unlink(missing_ok=True)
    (replicas.notes / "hold").touch()
    answers = []
    asker = threading.Thread(target=lambda: answers.append(replicas.speak(voice="erin", session=session)))
    asker.start()
    replicas.noted(f"extracting-{process}")
    replicas.kill(process)
    (replicas.notes / "hold").unlink()
    asker.join()
    (answer,) = answers
    if answer.status_code == 503:  # HAProxy repeats nine of ten; of the others it says so
        assert answer.json()["error"]["reason_code"] == "replica_gone"
        answer = replicas.speak(voice="erin", session=session)
    assert answer.status_code == 200, answer.text
    assert answer.headers["x-replica"] != str(process)


def test_what_a_killed_replica_knew_of_a_voice_the_others_read_from_disk(replicas):
    process, session = next(iter(replicas.sessions().items()))
    replicas.upload("frank")
    assert [replicas.speak(voice="frank", session=session).headers["x-speaker-cache"] for _ in range(2)] == ["miss", "hit"]
    replicas.request("GET", "/v1/audio/cache/stats", session=session)
    replicas.kill(process)
    answer = replicas.speak(voice="frank", session=session)
    if answer.status_code == 503:  # HAProxy repeats nine of ten; of the others it says so
        assert answer.json()["error"]["reason_code"] == "replica_gone"
        answer = replicas.speak(voice="frank", session=session)
    assert answer.headers["x-speaker-cache"] == "disk"


def test_what_may_not_be_done_twice_is_answered_in_our_words_when_its_replica_is_gone(replicas):
    process, session = next(iter(replicas.sessions().items()))
    replicas.upload("grace")
    (replicas.notes / f"extracting-{process}").unlink(missing_ok=True)
    (replicas.notes / "hold").touch()
    answers = []
    path = "/v1/audio/voices/grace/cache"
    asker = threading.Thread(target=lambda: answers.append(replicas.request("POST", path, session=session)))
    asker.start()
    replicas.noted(f"extracting-{process}")
    replicas.kill(process)
    (replicas.notes / "hold").unlink()
    asker.join()
    (answer,) = answers
    assert (answer.status_code, answer.json()["error"]["reason_code"]) == (503, "replica_gone")
    assert int(answer.headers["retry-after"]) > 0


def test_keys_of_a_living_replica_stay_when_another_is_killed(replicas):
    dead, living = replicas.sessions()
    names = [f"visitor {number}" for number in range(40)]
    before = {name: replicas.home(name) for name in names}
    replicas.kill(dead)
    after = {name: replicas.home(name) for name in names}
    assert all(after[name] == home for name, home in before.items() if home == living)
    assert dead not in after.values()


def test_speeches_of_12_s_survive_that_their_replicas_are_sent_away_for_one_new(replicas):
    sessions = list(replicas.sessions().values())
    begun = threading.Barrier(N_SPEECHES + 1)

    def speech(number: int) -> tuple[str, int]:
        with _stream(replicas, sessions[number % 2], stream_format="audio") as answer:
            heard = answer.iter_bytes()
            n_bytes = len(next(heard))
            begun.wait()
            return answer.headers["x-replica"], n_bytes + sum(map(len, heard))

    with ThreadPoolExecutor(N_SPEECHES) as listeners:
        speeches = [listeners.submit(speech, number) for number in range(N_SPEECHES)]
        begun.wait()
        replicas.cluster.serve(served(replicas=1))
        heard = [one.result() for one in speeches]
    assert len({home for home, _ in heard}) == 2
    assert [n_bytes for _, n_bytes in heard] == [LONG_BYTES] * N_SPEECHES
    gone = {int(home) for home, _ in heard} - {replicas.home("anybody")}
    assert gone
    for process in gone:
        replicas.noted(f"over-{process}")
