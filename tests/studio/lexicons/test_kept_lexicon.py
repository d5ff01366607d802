"""KeptLexicon: what a workspace's dictionary holds is on disk, whole, its own, and gone in time."""

import threading

import pytest

from studio.errors import LexiconEntryUnknown, LexiconFull, LexiconOwnerUnknown
from studio.lexicons.kept_lexicon import KeptLexicon, lexicon_files
from studio.reading.lexicon.entry import LexiconEntry
from studio.reading.lexicon.lexicon import Lexicon
from studio.storage import workspace_file as module
from studio.storage.workspace_file import WorkspaceFiles
from studio.workspace import EVERYBODY, NOBODY

CAT, DOG = LexiconEntry("cat", "kat"), LexiconEntry("dog", ipa="dɒɡ", language="en", case=True, whole_word=False)


@pytest.fixture
def files(tmp_path) -> WorkspaceFiles[Lexicon]:
    return lexicon_files(tmp_path / "lexicons", clock=lambda: 1_000.0)


@pytest.fixture
def lexicon(files) -> KeptLexicon:
    return KeptLexicon(files)


def test_what_is_kept_is_there_for_whoever_opens_the_folder_next(files, lexicon):
    assert lexicon.read().entries == () and not files.directory.exists(), "who only looks leaves nothing"
    assert lexicon.put(LexiconEntry(" cat", "kat")) == CAT and lexicon.put(DOG) == DOG
    other = KeptLexicon(lexicon_files(files.directory))
    assert other.read().entries == lexicon.read().entries == (CAT, DOG)
    assert other.get("dog", "EN") == DOG
    assert lexicon.delete("cat") == CAT and other.read().entries == (DOG,)
    for wrong in (lexicon.delete, lexicon.get):
        with pytest.raises(LexiconEntryUnknown):
            wrong("cat")
    assert lexicon.clear() == 1 and not list(files.directory.glob("*.lexicon"))


def test_an_import_adds_or_takes_the_place_of_all_or_changes_nothing(files, lexicon):
    lexicon.add([CAT, DOG])
    assert lexicon.add([LexiconEntry("cat", "x")]).entries == (LexiconEntry("cat", "x"), DOG)
    with pytest.raises(LexiconFull):
        lexicon.add(LexiconEntry(f"w{n}", "x") for n in range(5_000))
    assert len(lexicon.read()) == 2 and lexicon.add([CAT], replace=True).entries == lexicon.read().entries == (CAT,)


def test_a_workspace_sees_its_own_and_nobody_keeps_nothing(files, lexicon):
    mine, yours, nobody = (KeptLexicon(files, name) for name in ("visitor:a", "key:A", NOBODY))
    mine.put(CAT)
    assert mine.read().entries == (CAT,) and not yours.read().entries and not lexicon.read().entries and not nobody.read().entries
    for change in (lambda: nobody.put(CAT), nobody.clear, lambda: nobody.delete("cat")):
        with pytest.raises(LexiconOwnerUnknown):
            change()


def test_two_who_write_at_once_lose_nothing(files, lexicon):
    other = KeptLexicon(lexicon_files(files.directory))
    lexicon.put(CAT)
    writers = [threading.Thread(target=lambda k=k, n=n: k.put(LexiconEntry(f"w{n}", "x"))) for n, k in enumerate((lexicon, other) * 4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(lexicon.read()) == len(other.read()) == 9


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: b"{}" + data, lambda data: data.replace(b"written", b"writen")])
def test_a_damaged_file_is_set_aside_and_told(files, lexicon, damage):
    lexicon.put(CAT)
    (path,) = files.directory.glob("*.lexicon")
    path.write_bytes(damage(path.read_bytes()))
    assert not lexicon.was_set_aside and lexicon.read().entries == () and lexicon.was_set_aside
    assert not KeptLexicon(files, "key:a").was_set_aside
    (aside,) = (files.directory / "quarantine").glob("*.lexicon")
    assert aside.name == path.name and not path.exists()
    lexicon.put(DOG)
    assert lexicon.read().entries == (DOG,)


def test_old_ones_go_with_what_else_a_visitor_had(files, lexicon):
    lexicon.put(CAT)
    KeptLexicon(files, "visitor:a").put(CAT)
    asked = []
    files.forget_old(lambda workspace, at: asked.append((workspace, at)) or workspace != EVERYBODY)
    assert sorted(asked) == [("", 1_000.0), ("visitor:a", 1_000.0)]
    assert lexicon.read().entries == (CAT,) and not KeptLexicon(files, "visitor:a").read().entries


def test_a_dictionary_is_read_once_until_it_changes_and_few_are_kept_in_memory(files, lexicon, monkeypatch):
    reads = []
    real = module.read_json
    monkeypatch.setattr(module, "read_json", lambda data: reads.append(data) or real(data))
    monkeypatch.setattr(module, "MOST_KNOWN", 2)
    for name in ("key:a", "key:b", "key:c"):
        KeptLexicon(files, name).put(CAT)
    for name in ("key:a", "key:a", "key:b", "key:c", "key:c", "key:a"):
        assert KeptLexicon(files, name).read().entries == (CAT,)
    assert len(reads) == 2 * 4, "the two lines of each"
