"""KeptConsents: recorded consents are on disk, whole, their workspace's own, and outlive no voice that rests on them."""

import numpy as np
import pytest

from engines.clips.clip import Clip
from engines.errors import OptionInvalid
from studio.consents.consent_file import WordsCheck
from studio.consents.kept_consents import ConsentsFolder, KeptConsents
from studio.errors import ConsentsFull, ConsentUnknown, WorkspaceRequired
from studio.settings import Settings
from studio.workspace import NOBODY

CLIP = Clip(np.full(4_800, 0.1, np.float32), 4_800)
HEARD, UNHEARD = WordsCheck(is_checked=True, heard="I consent"), WordsCheck(is_checked=False, why="no_transcriber")
SETTINGS = Settings(most_workspace_speakers=2, most_speakers=4)
RESTING: set[str] = set()


@pytest.fixture
def folder(tmp_path) -> ConsentsFolder:
    RESTING.clear()
    times = iter(range(1_000, 2_000))
    return ConsentsFolder(tmp_path / "consents", SETTINGS, in_use=lambda: RESTING, clock=lambda: float(next(times)))


@pytest.fixture
def consents(folder) -> KeptConsents:
    return KeptConsents(folder)


def ids(kept: KeptConsents) -> list[str]:
    return [consent.id for consent in kept.all()]


def test_what_is_kept_is_there_for_whoever_opens_the_folder_next(consents):
    assert consents.all() == () and not consents.directory.exists(), "who only looks leaves nothing"
    first, second = consents.add(" Ana\n2026", "en-US", CLIP, HEARD), consents.add("Ben", "de", CLIP, UNHEARD)
    other = KeptConsents(ConsentsFolder(consents.directory, SETTINGS))
    assert other.all() == (second, first) and other.get(first.id) == first
    assert (first.name, first.created_at, first.seconds, first.words) == ("Ana 2026", 1_000, 1.0, HEARD)
    assert other.recording(first.id)[:4] == b"RIFF" and len(other.recording(first.id)) == 44 + 2 * 4_800
    assert other.rename(first.id, "Ana K.").name == consents.get(first.id).name == "Ana K."
    assert consents.recording(first.id)[:4] == b"RIFF"
    assert other.delete(first.id).id == first.id and ids(consents) == [second.id]
    for wrong in (consents.get, consents.recording, consents.delete, lambda name: consents.rename(name, "x")):
        for name in (first.id, "", "../x", "cons_1"):
            with pytest.raises(ConsentUnknown):
                wrong(name)


def test_a_workspace_sees_its_own_and_nobody_keeps_nothing(folder, consents):
    mine, yours, nobody = (KeptConsents(folder, name) for name in ("visitor:a", "key:A", NOBODY))
    own = mine.add("Ana", "en", CLIP, UNHEARD)
    assert ids(mine) == [own.id] and not yours.all() and not consents.all() and not nobody.all()
    for kept in (yours, nobody, consents):
        with pytest.raises(ConsentUnknown):
            kept.delete(own.id)
    with pytest.raises(WorkspaceRequired):
        nobody.add("Ana", "en", CLIP, UNHEARD)


def test_there_are_so_many_of_a_visitor_and_so_many_of_all(folder, consents):
    for visitor in ("a", "b"):
        for _ in range(2):
            KeptConsents(folder, visitor).add("Ana", "en", CLIP, UNHEARD)
    for visitor, most in (("a", 2), ("c", 4), ("", 4)):
        with pytest.raises(ConsentsFull) as full:
            KeptConsents(folder, visitor).add("Ana", "en", CLIP, UNHEARD)
        assert full.value.values["n"] == most
    for name in ("", " ", "x" * 201, "a\x00b", "\ud800"):
        with pytest.raises(OptionInvalid):
            consents.add(name, "en", CLIP, UNHEARD)


def test_they_expire_but_for_those_on_which_voices_rest(folder):
    old, resting, new = (KeptConsents(folder, "a" if n < 2 else "b").add("Ana", "en", CLIP, UNHEARD) for n in range(3))
    RESTING.add(resting.id)
    folder.forget_old(lambda workspace, at: workspace == "a" and at < new.created_at)
    assert ids(KeptConsents(folder, "a")) == [resting.id] and ids(KeptConsents(folder, "b")) == [new.id]
    assert old.id != resting.id


def test_a_damaged_file_is_set_aside_and_is_there_no_more(consents):
    whole, cut, altered, strange = (consents.add("Ana", "en", CLIP, HEARD) for _ in range(4))
    path = {consent.id: next(consents.directory.glob(f"*{consent.id}*")) for consent in (cut, altered, strange)}
    path[cut.id].write_bytes(path[cut.id].read_bytes()[:100])
    path[altered.id].write_bytes(path[altered.id].read_bytes()[:-1] + b"x")
    path[strange.id].write_bytes(path[strange.id].read_bytes().replace(b'"workspace": ""', b'"workspace": "b"'))
    assert ids(consents) == [altered.id, whole.id], "its head is whole"
    with pytest.raises(ConsentUnknown):
        consents.recording(altered.id)
    assert ids(consents) == [whole.id]
    kept = [file.name for file in (consents.directory / "quarantine").iterdir()]
    assert len([name for name in kept if name.endswith(".consent")]) == 3 and len(kept) == 6
