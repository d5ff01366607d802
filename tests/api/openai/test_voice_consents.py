"""Recorded consents and voices that rest on them, as OpenAI's clients ask; the real ones are driven by the pytest marker `clients`."""

from dataclasses import dataclass, field

import pytest

from engines.clips.clip import Transcript
from engines.errors import LanguageUnsupported
from studio.analysis.estimates import Estimates
from studio.errors import TranscriberBusy
from studio.ui.voices.voices import voices_value
from tests.api.door import error_of, wav

BASES = ("/openai/v1", "/v1")
SAID = "This is my voice, and I consent to a copy of it."


@dataclass
class Ears:
    """A transcriber and an estimator that hear what they are told to."""

    heard: object = SAID
    likeness: float | None = 0.9
    is_here: bool = True
    languages: list = field(default_factory=list)

    def write(self, clip, language):
        self.languages.append(language)
        if isinstance(self.heard, Exception):
            raise self.heard
        return Transcript.of(self.heard, language)

    def words_of(self, clip, language=None):
        return None

    def estimates(self, samples, sample_rate, *, reference, measures):
        return Estimates(likeness=self.likeness)

    def close(self):
        pass


@pytest.fixture
def ears(door) -> Ears:
    ears = Ears()
    door.studio.transcriber = door.studio.estimators = ears
    return ears


def record(door, base="/openai/v1", name="Ana", language="en-US", data=None):
    sample = ("a.wav", wav(1.0) if data is None else data, "audio/wav")
    return door.post(f"{base}/audio/voice_consents", files={"recording": sample}, data={"name": name, "language": language})


def create(door, consent, base="/openai/v1", name="Ana"):
    sample = ("a.wav", wav(1.5), "audio/wav")
    return door.post(f"{base}/audio/voices", files={"audio_sample": sample}, data={"name": name, "consent": consent})


@pytest.mark.parametrize("base", BASES)
def test_a_consent_has_the_members_of_openais_object_and_is_found_at_both_addresses(door, ears, base):
    made = record(door, base).json()
    object = {"id", "object", "created_at", "language", "name"}
    assert object < set(made) and (made["object"], made["language"], made["name"]) == ("audio.voice_consent", "en-US", "Ana")
    assert (made["words"], made["heard"], ears.languages) == ("checked", SAID, ["en-US"])
    for other in BASES:
        one = f"{other}/audio/voice_consents/{made['id']}"
        assert door.get(one).json() | {"name": "Ana"} == made
        assert door.get(one + "/audio").content[:4] == b"RIFF"
        assert door.post(one, json={"name": f"by {other}"}).json()["name"] == f"by {other}"
    assert door.delete(one).json() == {"id": made["id"], "object": "audio.voice_consent", "deleted": True}
    assert error_of(door.delete(one))["reason_code"] == "consent_unknown"


def test_pages_go_on_behind_an_id_even_when_that_consent_is_gone(door):
    made = [record(door, name=name).json()["id"] for name in "abc"][::-1]
    every, seen, more = "/openai/v1/audio/voice_consents", [], {"limit": 1}
    while True:
        page = door.get(every, params=more).json()
        seen += [consent["id"] for consent in page["data"]]
        assert (page["object"], page["first_id"], page["last_id"]) == ("list", seen[-1], seen[-1])
        if not page["has_more"]:
            break
        more |= {"after": seen[-1]}
        door.delete(f"{every}/{seen[-1]}")
    assert seen == made
    assert door.get(every, params={"limit": 101}).status_code == 400


def test_words_are_called_checked_only_where_somebody_listened(door, ears):
    ears.is_here = False
    assert (record(door).json()["words"], record(door).json()["unchecked_why"]) == ("unchecked", "no_transcriber")
    ears.is_here = True
    for heard, why in ((TranscriberBusy(8, 10), "transcriber_failed"), (LanguageUnsupported("no"), "language_unknown")):
        ears.heard = heard
        assert (record(door).json()["words"], record(door).json()["unchecked_why"]) == ("unchecked", why)
    ears.heard = SAID
    assert record(door, language="sw").json()["unchecked_why"] == "language_unknown"


def test_what_does_not_consent_is_refused_and_not_kept(door, ears):
    for heard, sentence in (("I do not consent to a copy of my voice.", "consent_unsaid"), ("", "consent_silent")):
        ears.heard = heard
        error = error_of(record(door))
        assert (error["code"], error["param"], error["values"]["sentence"]) == (400, "recording", sentence)
        assert "I consent" in error["hint"]
    assert error_of(record(door, language="english!"))["param"] == "language"
    assert error_of(record(door, name=" "))["param"] == "name"
    assert error_of(record(door, data=wav(0.2)))["param"] == error_of(record(door, data=b"no sound"))["param"] == "recording"
    assert door.get("/v1/audio/voice_consents").json()["data"] == []


@pytest.mark.parametrize("base", BASES)
def test_a_voice_rests_on_its_consent_and_says_so(door, ears, base):
    consent = record(door).json()["id"]
    made = create(door, consent, base).json()
    assert (made["id"], made["name"], made["object"], made["type"]) == ("Ana", "Ana", "audio.voice", "audio_sample")
    told = door.get("/v1/audio/voices/ana").json()["consent_recording"]
    assert told == {
        "id": consent,
        "name": "Ana",
        "recorded_at": told["recorded_at"],
        "words": "checked",
        "likeness": 0.9,
        "one_person": True,
    }
    assert door.speak(voice={"id": made["id"]}).status_code == 200
    assert door.get(f"/v1/audio/voice_consents/{consent}").json()["voices"] == ["Ana"]
    [row] = voices_value(door.studio)["voices"]
    assert row["consent"] == {"id": consent, "at": told["recorded_at"], "words": "checked"}


def test_who_is_clearly_another_is_refused_and_who_may_be_is_told(door, ears):
    consent = record(door).json()["id"]
    ears.likeness = 0.5
    error = error_of(create(door, consent))
    assert (error["code"], error["reason_code"], error["param"]) == (400, "consent_of_another", "consent")
    ears.likeness = 0.6
    assert create(door, consent).json()["consent_recording"]["one_person"] is False
    ears.likeness = None
    assert "likeness" not in create(door, consent).json()["consent_recording"]


def test_a_consent_that_nobody_recorded_makes_no_voice(door):
    unknown = "cons_" + "0" * 32
    for base, consent in (("/openai/v1", unknown), ("/openai/v1", "my word"), ("/v1", unknown)):
        assert error_of(create(door, consent, base))["reason_code"] == "consent_unknown"
    assert create(door, "my word", "/v1").json()["voice"]["consent"] == "my word"  # vLLM-Omni's wire
    assert create(door, "cons_1", "/v1").status_code == 200


def test_a_consent_goes_with_its_voices_or_not_at_all(door, ears):
    one = f"/openai/v1/audio/voice_consents/{record(door).json()['id']}"
    consent = one.rpartition("/")[2]
    for name in ("Ana", "Ben"):
        create(door, consent, name=name)
    error = error_of(door.delete(one))
    assert (error["code"], error["reason_code"], error["values"]["names"]) == (409, "consent_in_use", ["Ana", "Ben"])
    assert door.delete("/openai/v1/audio/voices/Ben").json()["object"] == "audio.voice.deleted"
    assert door.get(one).json()["voices"] == ["Ana"]
    assert door.delete(one, params={"voices": "delete"}).json()["voices"] == ["Ana"]
    assert door.get("/v1/audio/voices/Ana").status_code == door.get(one).status_code == 404


def test_a_consent_that_is_withdrawn_while_a_voice_is_made_leaves_no_voice(door, ears):
    consent = record(door).json()["id"]
    enroll = door.studio.enroll

    def enroll_late(recording):
        speaker = enroll(recording)
        door.studio.consents.delete(consent)
        return speaker

    door.studio.enroll = enroll_late
    assert error_of(create(door, consent))["reason_code"] == "consent_unknown"
    assert door.studio.speakers() == ()
