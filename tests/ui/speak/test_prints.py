"""Claims about the prints that the page is sent: one beside each name, the same everywhere, and none of a recording that is not shown."""

import hashlib

import numpy as np

from engines.clips.clip import Clip
from studio.service import Studio
from studio.speakers.edit import SpeakerEdit
from studio.speakers.speaker import Enrollment
from studio.speakers.voiceprint import PRINT_DIGITS
from studio.speech.request import SpeechRequest
from studio.ui.cache.cache_tab import matrix_value
from studio.ui.speak.history import history_value
from studio.ui.speak.speaking import choice_value
from studio.ui.voices.voice_acts import act_on_voice
from studio.ui.voices.voices import voices_value
from studio.workspace import of_a_cookie

TONE = hashlib.sha256(b"fake:tone").hexdigest()[:PRINT_DIGITS]


def enroll(studio: Studio, name: str, seed: int = 1) -> str:
    """The print that the voice is to have."""
    clip = Clip(np.random.default_rng(seed).uniform(-0.3, 0.3, 48_000).astype(np.float32), 24_000)
    studio.enroll(Enrollment(name, "own", clip=clip))
    return clip.digest[:PRINT_DIGITS]


def speak(studio: Studio, speaker: str) -> None:
    with studio.speak(SpeechRequest("Say this.", speaker=speaker, keep=True)) as speech:
        speech.read_all()
    studio.history.settle()


def test_a_voice_has_the_same_print_wherever_its_name_stands(open_studio):
    studio = open_studio(warm_uploads=False)
    ana = enroll(studio, "Ana")
    for speaker in ("Ana", "tone"):
        speak(studio, speaker)
    studio.library.edit("Ana", SpeakerEdit("Bea"))
    chosen = choice_value(studio, "Bea", "fake")
    assert {voice["name"]: voice["print"] for voice in chosen["voices"]} == {"Bea": ana, "tone": TONE}
    assert [row["print"] for row in voices_value(studio)["voices"]] == [row["print"] for row in matrix_value(studio)["rows"]] == [ana]
    assert {entry["voice"]: entry["print"] for entry in history_value(studio)["entries"]} == {"Bea": ana, "tone": TONE}


def test_what_a_voice_said_has_no_print_while_its_deletion_can_be_undone(open_studio):
    studio = open_studio(warm_uploads=False)
    ana = enroll(studio, "Ana")
    speak(studio, "Ana")
    answer = act_on_voice(studio, {"act": "delete", "voice": "Ana"})
    assert not [entry for entry in history_value(studio)["entries"] if entry["print"]]
    act_on_voice(studio, {"act": "restore", "undo": answer["undo"]})
    assert [entry["print"] for entry in history_value(studio)["entries"]] == [ana]


def test_no_value_of_the_page_holds_the_print_of_another_visitors_recording(open_studio):
    studio = open_studio(workspaces="private", warm_uploads=False)
    ann, bo = (studio.within(of_a_cookie(visitor)) for visitor in ("ann", "bo"))
    hers, shared = enroll(ann, "Ana"), enroll(ann, "Both", 2)
    speak(ann, "Ana")
    enroll(bo, "His", 2)
    shown = repr([choice_value(bo, "His", "fake"), voices_value(bo), matrix_value(bo), history_value(bo)])
    assert hers not in shown and shared in shown
