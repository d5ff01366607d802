"""Claims about two studios on one folder: what one of them did is so at the other's next answer, whichever door it comes through.

`python -m tests.crash.two_studios` asks the same of two processes, and races them.
"""

import subprocess
import sys
import threading

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from studio.audio.spoken_sounds import SpokenSounds
from studio.errors import SpeakerUnknown
from studio.speakers.store import SpeakerStore
from studio.speech.request import SpeechRequest
from studio.ui.frame.files import file_routes
from tests.api.door import error_of, pcm, pitch_of_voice, wav
from tests.api.socket.socket_client import PCM, conversing
from tests.api.speech.batches import results_of
from tests.api.through_gradio import _relayed
from tests.stand_ins.fake_engine import heard_pitch
from tests.studio.speakers.store_subjects import recording

TEXT = "long enough to be heard"
ASKED = {"input": TEXT, "voice": "alice"}


@pytest.fixture
def here(open_door):
    return open_door()


@pytest.fixture
def there(open_door):
    return open_door()


def is_unknown(door) -> bool:
    """At every door but the WebSocket, which has a test of its own."""
    codes = {error_of(door.speak(TEXT, voice="alice", stream=stream))["reason_code"] for stream in (False, True)}
    codes.add(_relayed(door, ASKED)[1]["code"])
    (result,) = results_of(door, TEXT, voice="alice")
    return codes == {"speaker_unknown"} and result["status"] == "error" and "Invalid voice 'alice'" in result["error"]


def speaks_as(door, other) -> bool:
    """Whether this door speaks in the voice that the other one has by now."""
    response = door.speak(TEXT, voice="alice", response_format="pcm")
    assert response.status_code == 200, response.text
    return abs(heard_pitch(pcm(response.content)) - pitch_of_voice(other, "alice")) < 3


def test_who_is_replaced_or_deleted_while_it_is_looked_up_is_the_new_one_or_nobody(here, there):
    find = there.studio.workspace_speakers.find

    def meanwhile(act) -> None:
        def found(name: str, **how):
            there.studio.workspace_speakers.find = find
            speaker = find(name, **how)
            act()
            return speaker

        there.studio.workspace_speakers.find = found

    here.upload("alice", wav(1.2, hz=300))
    meanwhile(lambda: here.upload("alice", wav(1.2, hz=410)))
    with there.studio.speak(SpeechRequest(TEXT, speaker="alice")) as speech:
        assert abs(heard_pitch(speech.read_all()) - pitch_of_voice(here, "alice")) < 3
    here.upload("alice", wav(1.2, hz=520))
    meanwhile(lambda: here.studio.forget("alice"))
    with pytest.raises(SpeakerUnknown):
        there.studio.speak(SpeechRequest(TEXT, speaker="alice"))


@pytest.mark.slow
def test_what_one_studio_did_the_other_says_with_its_next_word(here, there):
    for turn in range(4):
        here.upload("alice", wav(1.2, hz=200 + 31 * turn))
        assert speaks_as(there, here)
        here.upload("alice", wav(1.2, hz=210 + 31 * turn))
        assert speaks_as(there, here)
        here.delete("/v1/audio/voices/alice")
        assert is_unknown(there)
    assert there.studio.stats().entries == 0
    assert not list(here.folder.glob("prompts/*"))


def test_a_session_that_goes_on_hears_it_with_its_next_utterance(here, there):
    here.upload("alice")
    with conversing(there, voice="alice", **PCM) as client:
        client.say_text(TEXT)
        assert [one for one in client.hear_utterance() if isinstance(one, bytes)]
        here.delete("/v1/audio/voices/alice")
        client.say_text(TEXT)
        heard = client.hear_utterance()
        assert not [one for one in heard if isinstance(one, bytes)]
        assert [one["reason_code"] for one in heard if one["type"] == "error"] == ["speaker_unknown"]


def test_a_speech_that_began_before_ends_in_the_voice_it_began_with(here, there):
    here.upload("alice", wav(1.2, hz=500))
    pitch = pitch_of_voice(here, "alice")
    with there.studio.speak(SpeechRequest(TEXT, speaker="alice")) as speech:
        here.upload("alice", wav(1.2, hz=300))
        assert heard_pitch(speech.read_all()) == pytest.approx(pitch, abs=3)


def test_what_the_page_keeps_asking_for_is_so_too(here, there):
    here.upload("alice")
    assert [speaker.name for speaker in there.studio.speakers()] == ["alice"]
    assert there.studio.library.name_clash("Alice").holder == "own"
    here.delete("/v1/audio/voices/alice")
    assert there.studio.library.name_clash("Alice") is None
    for ask in (there.studio.warm, there.studio.evict, there.studio.library.export, there.studio.speaker):
        with pytest.raises(SpeakerUnknown):
            ask("alice")


def test_what_was_kept_of_a_voice_goes_with_it(here, there):
    here.upload("alice")
    with there.studio.speak(SpeechRequest(TEXT, speaker="alice", keep=True)) as speech:
        speech.read_all()
    there.studio.history.settle()
    (entry,) = there.studio.history.entries()
    with TestClient(FastAPI(routes=file_routes(there.studio, SpokenSounds()))) as page:
        assert page.get(f"/studio/history/{entry.id}").status_code == 200
        here.delete("/v1/audio/voices/alice")
        assert page.get(f"/studio/history/{entry.id}").status_code == 404


def test_many_who_ask_while_others_change_hear_nothing_that_was_not_so(here, there):
    """Each recording is noted before it is sent, and struck out when the next was acknowledged; an answer is of one noted meanwhile."""
    digests: list[str | None] = [None]
    wrong, done = [], threading.Event()

    def ask(store: SpeakerStore) -> None:
        while not done.is_set():
            first = max(len(digests) - 2, 0)
            speaker = store.find("alice")
            if (speaker.clip_digest if speaker else None) not in digests[first:]:
                wrong.append(speaker)

    askers = [threading.Thread(target=ask, args=(door.studio.store,)) for door in (here, there)]
    for asker in askers:
        asker.start()
    for turn in range(40):
        store = (here, there)[turn // 3 % 2].studio.store
        made = recording("alice", turn)
        digests.append(None if turn % 3 == 2 else made.clip.digest)
        store.remove("alice") if turn % 3 == 2 else store.add(made)
    done.set()
    for asker in askers:
        asker.join()
    assert not wrong


CHILD = """
import sys
from pathlib import Path
from studio.speakers.store import SpeakerStore
store = SpeakerStore(Path(sys.argv[1]))
for name in sys.stdin:
    speaker = store.find(name.strip())
    print(speaker.read_clip().digest if speaker else "gone", flush=True)
"""


@pytest.mark.slow
def test_another_process_says_what_was_acknowledged_here(tmp_path):
    store = SpeakerStore(tmp_path)
    command = [sys.executable, "-c", CHILD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as child:

        def ask() -> str:
            child.stdin.write("alice\n")
            return child.stdout.readline().strip()

        for turn in range(15):
            for seed in (2 * turn, 2 * turn + 1):
                speaker, _ = store.add(recording(seed=seed))
                assert ask() == speaker.clip_digest
            store.remove("alice")
            assert ask() == "gone"
        child.stdin.close()
