"""SpeakerAliases: other names of speakers are kept whole, per workspace, beside those that were set outside."""

import pytest

from studio.errors import AliasesFull, NameInvalid, WorkspaceRequired
from studio.speakers import speaker_aliases as module
from studio.speakers.speaker_aliases import SpeakerAliases, alias_files, keyed_aliases
from studio.workspace import NOBODY

OUTSIDE = keyed_aliases({"Nova": "heart"})


@pytest.fixture
def aliases(tmp_path) -> SpeakerAliases:
    return SpeakerAliases(alias_files(tmp_path / "aliases"), OUTSIDE)


def told(aliases: SpeakerAliases) -> list[tuple[str, str, bool]]:
    return [(alias.name, alias.speaker, alias.is_own) for alias in aliases.all()]


def test_what_is_set_is_there_for_whoever_opens_the_folder_next(aliases, tmp_path):
    assert told(aliases) == [("Nova", "heart", False)] and not (tmp_path / "aliases").exists()
    aliases.put(" Alloy ", "Ana"), aliases.put("nova", "Bob")
    other = SpeakerAliases(alias_files(tmp_path / "aliases"), {})
    assert told(other) == [("Alloy", "Ana", True), ("nova", "Bob", True)]
    assert other.get("ALLOY").speaker == "Ana" and other.get("echo") is None
    other.remove("nova"), other.remove("nobody")
    assert aliases.get("nova").speaker == "heart", "what was set outside is heard again"


def test_a_workspace_has_its_own_first_and_changes_no_others(aliases, tmp_path):
    mine, yours, nobody = (SpeakerAliases(alias_files(tmp_path / "aliases"), OUTSIDE, name) for name in ("key:a", "key:b", NOBODY))
    aliases.put("alloy", "Everybody's")
    mine.put("alloy", "Mine")
    assert [one.get("alloy").speaker for one in (mine, yours, aliases)] == ["Mine", "Everybody's", "Everybody's"]
    yours.remove("alloy")
    assert aliases.get("alloy") and told(yours) == [("alloy", "Everybody's", False), ("Nova", "heart", False)]
    for change in (lambda: nobody.put("a", "b"), lambda: nobody.remove("alloy")):
        with pytest.raises(WorkspaceRequired):
            change()


def test_names_are_names_and_not_without_number(aliases, monkeypatch):
    monkeypatch.setattr(module, "MOST_ALIASES", 1)
    aliases.put("alloy", "Ana"), aliases.put("ALLOY", "Bob")
    with pytest.raises(AliasesFull):
        aliases.put("echo", "Ana")
    with pytest.raises(NameInvalid):
        aliases.put("a/b", "Ana")


def test_a_damaged_file_is_set_aside(aliases, tmp_path):
    aliases.put("alloy", "Ana")
    (path,) = (tmp_path / "aliases").glob("*.aliases")
    path.write_bytes(path.read_bytes().replace(b'"Ana"', b"[]"))
    assert told(SpeakerAliases(alias_files(tmp_path / "aliases"), {})) == [] and not path.exists()
