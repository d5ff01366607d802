"""A view of a studio is whole when it is made: each of its parts is its workspace's, and no other's."""

import numpy as np
import pytest

from engines.clips.clip import Clip
from studio.consents.consent_file import WordsCheck
from studio.reading.lexicon.entry import LexiconEntry
from studio.speech.request import SpeechRequest
from studio.workspace import EVERYBODY, NOBODY
from tests.workspaces.test_bounds import ANN, BO

UNHEARD = WordsCheck(is_checked=False, why="no_transcriber")


def kept(view) -> tuple[list[str], list[str], list[str], int]:
    """What a view has: other names of speakers, words of the dictionary, recorded consents, and lookups of prompts."""
    names, words = [alias.name for alias in view.aliases.all()], [entry.written for entry in view.lexicon.read().entries]
    return names, words, [consent.name for consent in view.consents.all()], view.stats().lookups


@pytest.mark.parametrize("other", [BO, NOBODY])
def test_what_one_workspace_keeps_is_in_no_part_of_anothers_view(open_studio, other):
    studio = open_studio(workspaces="private")
    ann, stranger = studio.within(ANN), studio.within(other)
    kept(stranger)  # whose parts are there before
    ann.aliases.put("alloy", "tone")
    ann.lexicon.put(LexiconEntry("cat", "kat"))
    ann.consents.add("Ann", "en", Clip(np.full(4_800, 0.1, np.float32), 4_800), UNHEARD)
    with ann.speak(SpeechRequest("A cat.", speaker="alloy")) as speech:
        speech.read_all()
    assert kept(ann) == kept(studio.within(ANN)) == (["alloy"], ["cat"], ["Ann"], 1)
    assert kept(stranger) == kept(studio.within(other)) == ([], [], [], 0)
    assert kept(studio)[:3] == ([], [], []) and studio.workspace == EVERYBODY and studio.stats().lookups == 1
