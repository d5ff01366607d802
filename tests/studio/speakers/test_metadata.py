"""Claims about the one rule for what is said of a voice: what breaks it comes in nowhere, and what is only long or foreign is kept."""

import json
import math
from dataclasses import replace

import pytest

from engines.clips.clip import Transcript
from engines.contract.prompt import SpeakerPrompt
from engines.errors import CallerMistake, OptionInvalid, PromptInvalid
from studio.errors import BundleUnusable
from studio.library.bundle import read_bundle
from studio.speakers.consent import record_consent
from studio.speakers.edit import SpeakerEdit
from studio.speakers.enrollment import enrolled
from studio.speakers.file import SpeakerFileBad, header_bytes
from studio.speakers.metadata import MOST_TAG_CHARACTERS, MOST_TAGS
from studio.speakers.store import SpeakerStore
from tests.studio.library.test_bundle import altered
from tests.studio.speakers.hostile_metadata import TEXTS
from tests.studio.speakers.store_subjects import clip_of, everything, omni_file, prompt_for, recording, speaker_files

RECORD = record_consent("own", "Ana", clip_of(1).digest)
# By parameter of the refusal: a recording with that text in it.
SAID = {
    "name": lambda text: {"name": text},
    "consent": lambda text: {"consent": text},
    "description": lambda text: {"description": text},
    "transcript": lambda text: {"transcript": Transcript(f"words {text}")},
    "language": lambda text: {"transcript": Transcript("words", text)},
    "tags": lambda text: {"tags": ("fine", text)},
    "mime_type": lambda text: {"mime_type": text},
    "filename": lambda text: {"filename": text},
}


@pytest.fixture
def store(tmp_path):
    store = SpeakerStore(tmp_path)
    store.add(recording(tags=("a",)))
    return store


def refusals_of(store, act, *, least: int) -> list[CallerMistake]:
    """What `act(text)` is refused with, for each text that is none; nothing changes on the disk."""
    before, errors = everything(store.directory), []
    for text in TEXTS.values():
        with pytest.raises(CallerMistake) as caught:
            act(text)
        errors.append(caught.value)
    assert everything(store.directory) == before
    assert len(errors) >= least and all(error.fact and error.hint for error in errors)
    return errors


@pytest.mark.parametrize("field", SAID)
def test_a_text_that_is_none_is_refused_wherever_it_stands(store, field):
    errors = refusals_of(store, lambda text: store.add(recording(**SAID[field](text))), least=5)
    assert {error.parameter for error in errors} == {field}


def test_a_consent_record_is_text_too(store):
    for part in ("who", "statement", "given_at"):
        refusals_of(store, lambda text, part=part: store.add(recording(consent_record=replace(RECORD, **{part: text}))), least=5)


def test_an_edit_is_asked_the_same(store):
    for field in ("name", "description", "tags", "transcript", "language"):

        def act(text, field=field):
            store.edit("alice", SpeakerEdit(**({"name": "Alice"} | SAID[field](text))))

        assert {error.parameter for error in refusals_of(store, act, least=5)} == {field}


def test_there_are_so_many_tags_and_they_are_so_long(store):
    most = tuple(f"{n}".rjust(MOST_TAG_CHARACTERS, "x") for n in range(MOST_TAGS))
    assert (MOST_TAGS, MOST_TAG_CHARACTERS) == (32, 64)
    for tags, values in (
        ((*most, "more"), {"n": 33, "most": 32}),
        (("x" * 65,), {"n": 65, "most": 64}),
        (("a\u202eb",), {"character": "U+202E"}),
    ):
        for act in (
            lambda tags=tags: store.add(recording(tags=tags)),
            lambda tags=tags: store.edit("alice", SpeakerEdit("Alice", tags=tags)),
        ):
            with pytest.raises(OptionInvalid) as caught:
                act()
            assert caught.value.values.items() >= values.items()
    assert store.edit("alice", SpeakerEdit("Alice", tags=most))[0].tags == store.get("alice").tags == most


def test_long_laid_out_and_strange_texts_are_kept_from_us_and_from_vllm_omni(tmp_path):
    said = {
        "consent": "a form\nof two lines",
        "speaker_description": "long\t" * 40_000,
        "ref_text": "it\x92s\vwords \U0001f469\u200d\U0001f467 \u202b\u05e2\u05d1\u05e8",
        "tags": "warm,soft",
    }
    omni_file(tmp_path, **said)
    store = SpeakerStore(tmp_path)
    (theirs,) = store.speakers()
    assert store.quarantined == ()
    assert (theirs.consent, theirs.description, theirs.transcript.text) == tuple(said.values())[:3]
    ours, _ = store.add(recording("Ours", consent=theirs.consent, description=theirs.description, transcript=theirs.transcript))
    assert SpeakerStore(tmp_path).get("ours").transcript == ours.transcript == theirs.transcript


@pytest.mark.parametrize("field", ["consent", "description", "transcript", "tags", "filename"])
def test_what_earlier_versions_took_is_served_whole_and_may_be_edited_beside_it(tmp_path, field):
    """Words that were pasted from a document, with a hyphen of its own (U+0002), or the direction of a text."""
    said = SAID[field]("hy\x02phen \u202b")
    speaker, samples = enrolled(recording(), lambda key: False, 7)
    (tmp_path / "old.safetensors").write_bytes(header_bytes(replace(speaker, **said), samples) + samples.tobytes())
    store = SpeakerStore(tmp_path)
    kept = store.get("alice")
    assert store.quarantined == () and {field: getattr(kept, field) for field in said} == said
    store.edit("alice", SpeakerEdit("Alice B", kept.description, kept.tags, kept.transcript))
    assert SpeakerStore(tmp_path).get("alice b").revision == 1
    with pytest.raises(OptionInvalid):
        store.edit("alice b", SpeakerEdit("Alice B", "said anew\x02", kept.tags, kept.transcript))


def test_a_file_that_breaks_the_rule_is_not_put_back(store, tmp_path):
    (tmp_path / "away").mkdir()
    path = omni_file(tmp_path / "away", name="Bob", speaker_description="HALF")
    path.write_bytes(path.read_bytes().replace(b'"HALF"', b'"\xed\xa0\x80x"'))  # half a character in three bytes, as json takes it
    with pytest.raises(SpeakerFileBad, match="half a character"):
        store.put_back(path)
    assert path.exists() and len(speaker_files(tmp_path)) == 1


def test_a_bundle_is_asked_the_same_before_anything_is_shown_of_it():
    for text in TEXTS.values():
        for changes in (
            {"tags": [text]},
            {"description": text},
            {"transcript": f"words {text}"},
            {"consent": {"statement": f"own {text}"}},
        ):
            with pytest.raises(CallerMistake) as caught:
                read_bundle(altered(manifest=changes))
            assert caught.value.hint
            json.dumps(caught.value.fact, ensure_ascii=False).encode()
    for tags in ([5], "warm", {"warm": 1}, [["warm"]], ["a"] * 33, ["a" * 65]):
        with pytest.raises(CallerMistake):
            read_bundle(altered(manifest={"tags": tags}))


@pytest.mark.parametrize("created_at", [math.inf, -math.inf, math.nan, -1, 1.5, 10**400, True, None, "7", [7], 1e300])
def test_a_bundle_was_made_at_a_whole_second_of_our_era(created_at):
    if created_at == "7":
        assert read_bundle(altered(manifest={"created_at": created_at})).created_at == 7
        return
    with pytest.raises(BundleUnusable):
        read_bundle(altered(manifest={"created_at": created_at}))


@pytest.mark.parametrize("fact", [math.nan, math.inf, "\ud800", "a\0b", None, [1], {}])
def test_what_a_prompt_tells_is_numbers_and_words(store, fact):
    _, prompt = prompt_for(store.get("alice"))
    assert SpeakerPrompt.from_bytes(replace(prompt, facts={"level_dbfs": -20.5, "fit": "clip"}).to_bytes()).facts["fit"] == "clip"
    with pytest.raises(PromptInvalid):
        SpeakerPrompt.from_bytes(replace(prompt, facts={"level_dbfs": fact}).to_bytes())
