"""Claims about creating a voice on the page, without a browser, over fake engines."""

import base64
import errno
import io
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import soundfile

from engines.contract.contract import EngineInfo
from engines.errors import ClipUnusable, EngineFailed, EngineUnavailable
from studio.audio import decode as audio_files
from studio.service import Studio
from studio.speakers.clip_draft import ClipDrafts
from studio.speakers.consent import REASONS
from studio.speakers.voiceprint import print_digest
from studio.ui.clips import clip_intake
from studio.ui.clips.clip_intake import drop_clip, region_sound, take_clip
from studio.ui.clips.clip_report import check_region, engine_rows, judge_words
from studio.ui.clips.extracting import extract_voice, extraction_states
from studio.ui.create.creating import create_voice
from studio.ui.gradio.words import words
from tests.api.door import eventually
from tests.stand_ins.fake_engine import INFO, FakeEngine
from tests.ui.clips.clips import speech_like, wav_bytes

OTHER = EngineInfo(**(vars(INFO) | {"id": "other", "title": "Other", "transcript": "required", "presets": (), "least_clip_seconds": 3.0}))
RATE = 48_000


@pytest.fixture
def drafts():
    return ClipDrafts()


@pytest.fixture
def open_studio(open_studio):
    """open_studio(**what the fake engine does) -> Studio with the engines fake and other; closed after the test."""

    def make(policy: str = "overwrite", **engine) -> Studio:
        def open_engine(name: str):
            if name == "other":
                raise EngineUnavailable("The weights are not here.", "Run: make weights.")
            return FakeEngine(INFO, **engine)

        infos = {"fake": INFO, "other": OTHER}
        return open_studio(folder="speakers", infos=infos, open_engine=open_engine, registration_policy=policy, warm_uploads=False)

    return make


def sent(data: bytes, name: str = "recording.wav", mime_type: str = "audio/wav") -> dict[str, str]:
    return {"name": name, "type": mime_type, "data": base64.b64encode(data).decode()}


def taken(drafts: ClipDrafts, seconds: float = 8.0) -> dict[str, object]:
    return take_clip(drafts, sent(wav_bytes(seconds, RATE)))


def fields(taken: dict, **changed) -> dict[str, object]:
    told = {"name": "Ana", "transcript": "These are the words.", "language": "en", "reason": "own", "who": "Ana, recorded today"}
    return {"draft": taken["draft"], "start": 0, "end": taken["milliseconds"], "made": None} | told | changed


def raises(error: Exception):
    def before_extract():
        raise error

    return before_extract


# --- the clip


def test_a_clip_becomes_a_draft_with_what_there_is_to_draw(drafts):
    clip = taken(drafts, 8.0)
    assert (clip["milliseconds"], clip["sample_rate"]) == (8000, RATE)
    assert len(clip["peaks"]) == 800 and max(clip["peaks"]) == 50
    assert len(drafts) == 1


@pytest.mark.parametrize("container", ["WAV", "FLAC", "OGG", "MP3"])
def test_the_usual_containers_are_read(drafts, container):
    file = io.BytesIO()
    soundfile.write(file, speech_like(2.0, RATE), RATE, format=container)
    assert take_clip(drafts, sent(file.getvalue(), "clip.bin", ""))["milliseconds"] == pytest.approx(2000, abs=100)


@pytest.mark.parametrize("nothing", [None, {}, "clip", {"data": ""}, {"data": 7}, {"data": "no base64!"}])
def test_without_a_clip_it_is_said_how_to_get_one(drafts, nothing):
    assert take_clip(drafts, nothing)["problem"]["code"] == "clip_absent"


def test_a_text_that_calls_itself_wav_is_refused_with_what_can_be_read(drafts):
    problem = take_clip(drafts, sent(b"no audio" * 100, "song.wav"))["problem"]
    assert problem["code"] == "audio_undecodable" and "WAV" in problem["hint"]
    assert len(drafts) == 0


@pytest.mark.parametrize(("n_bytes", "size"), [(26_000_000, "26.0"), (25_000_001, "25.1")])
def test_a_file_over_25_megabytes_is_refused_before_it_is_decoded(drafts, monkeypatch, n_bytes, size):
    monkeypatch.setattr(clip_intake, "decode_beginning", None)
    problem = take_clip(drafts, sent(bytes(n_bytes)))["problem"]
    assert problem["code"] == "audio_too_large" and problem["hint"].startswith("Save it as MP3 or FLAC, or cut it.")
    assert problem["fact"] == f"The file has {size} MB, and 25.0 MB are the limit."


def test_what_fits_is_taken_whole_and_of_more_the_beginning(drafts, monkeypatch):
    assert clip_intake.MOST_DRAFT_SECONDS == 600
    monkeypatch.setattr(clip_intake, "MOST_DRAFT_SECONDS", 12.0)
    stereo = np.stack([speech_like(13.0, 8_000)] * 2, axis=1)
    for container in ("FLAC", "MP3"):
        for seconds, is_cut in ((12.0, False), (13.0, True)):
            file = io.BytesIO()
            soundfile.write(file, stereo[: round(seconds * 8_000)], 8_000, format=container)
            taken = take_clip(drafts, sent(file.getvalue()))
            assert (taken["sample_rate"], taken["milliseconds"], taken["cut_seconds"]) == (8_000, 12_000, 12 if is_cut else None), container


def test_what_unpacks_to_hours_is_not_decoded_to_its_end(drafts, monkeypatch):
    silence = io.BytesIO()
    with soundfile.SoundFile(silence, "w", 8_000, 1, format="FLAC") as file:
        for _ in range(120):
            file.write(np.zeros(8_000 * 60, np.int16))
    added = []
    add = audio_files._BeginningOfMono.add
    monkeypatch.setattr(audio_files._BeginningOfMono, "add", lambda self, block: (added.append(len(block)), add(self, block)))
    taken = take_clip(drafts, sent(silence.getvalue()))
    assert taken["milliseconds"] == 600_000
    assert taken["cut_seconds"] == 600
    assert sum(added) <= 600 * 8_000 + (1 << 16)  # one block more than the bound


def test_a_long_clip_opens_with_its_best_part_and_a_short_one_with_all_of_it(drafts):
    short, long = taken(drafts, 8.0), taken(drafts, 60.0)
    assert short["opens"] == (0, 8000) and short["best"][0] < 500 and short["best"][1] > 7500
    start, end = long["opens"]
    assert long["best"] == long["opens"] and 8000 < end - start <= 10_000
    assert long["speech"][0] <= start and end <= long["speech"][1] <= 60_000


@pytest.mark.parametrize(
    "samples", [np.zeros(8 * RATE), 0.1 * np.random.default_rng(1).standard_normal(30 * RATE)], ids=["silence", "noise"]
)
def test_where_nobody_speaks_no_speech_was_found_and_all_of_it_opens(open_studio, drafts, samples):
    file = io.BytesIO()
    soundfile.write(file, samples, RATE, format="WAV")
    clip = take_clip(drafts, sent(file.getvalue()))
    assert clip["speech"] is None and clip["best"] is None and clip["opens"] == (0, clip["milliseconds"])
    report = check_region(open_studio(), drafts, {"draft": clip["draft"], "start": 0, "end": 8000, "has_transcript": True})
    assert report["obstacle"]["code"] == report["verdict"]["case"] == "clip_no_speech"
    assert report["verdict"]["state"] == "forbidden" and report["facts"][0]["state"] == "failed"
    asked = {"seconds": 8.0, "has_transcript": True, "is_forbidden": True}
    for rows in (report["engines"], engine_rows(open_studio(), asked)["engines"]):
        assert {row["fit"] for row in rows} == {"forbidden"}


def test_two_long_files_are_decoded_at_once_and_others_wait_their_turn_while_a_short_one_does_not(drafts, monkeypatch):
    decoding, most, go = [], [], threading.Event()
    put_together = audio_files._BeginningOfMono.sound

    def sound(mono):
        if mono.n_bytes > audio_files.MOST_ROOMLESS_BYTES:
            decoding.append(1)
            most.append(len(decoding))
            assert go.wait(60)
            decoding.pop()
        return put_together(mono)

    monkeypatch.setattr(audio_files, "MOST_ROOMLESS_BYTES", 4 * RATE)
    monkeypatch.setattr(audio_files._BeginningOfMono, "sound", sound)
    with ThreadPoolExecutor(6) as callers:
        takes = [callers.submit(taken, drafts, 2.0) for _ in range(5)]
        assert eventually(lambda: len(most) == 2)
        assert not eventually(lambda: len(most) > 2, seconds=0.5)
        assert callers.submit(taken, drafts, 1.0).result(60)["milliseconds"] == 1000
        go.set()
        assert all(take.result()["milliseconds"] == 2000 for take in takes)
    assert len(most) == 5 and max(most) == 2


def test_a_region_sounds_exactly_as_it_was_sent(drafts):
    clip = taken(drafts, 2.0)
    answer = region_sound(drafts, {"draft": clip["draft"], "start": 250, "end": 1250})
    heard = np.frombuffer(base64.b64decode(answer["pcm"]), "<i2")
    whole, _ = soundfile.read(io.BytesIO(wav_bytes(2.0, RATE)), dtype="int16")
    assert np.array_equal(heard, whole[RATE // 4 : RATE // 4 + RATE])


def test_a_dropped_draft_is_gone(drafts):
    clip = taken(drafts)
    drop_clip(drafts, {"draft": clip["draft"]})
    assert region_sound(drafts, {"draft": clip["draft"], "start": 0, "end": 1000})["problem"]["code"] == "draft_gone"


# --- the report


def test_the_report_has_three_facts_and_a_figure_of_each_measure(open_studio, drafts):
    clip = taken(drafts)
    report = check_region(open_studio(), drafts, {"draft": clip["draft"], "start": 0, "end": 8000, "has_transcript": False})
    assert [fact["fact"] for fact in report["facts"]] == ["speech", "clear", "full"]
    measures = "speech_seconds other_percent n_speakers silence_percent level_dbfs snr_db hum_db hiss_db music_percent"
    assert [figure["measure"] for figure in report["figures"]] == f"{measures} reverberation_seconds clipping_percent bandwidth_hz".split()
    assert report["obstacle"] is None and report["seconds"] == 8.0


def test_a_reason_states_on_the_page_what_is_kept_with_the_voice():
    for reason, (label, statement) in ((key, (one.label, one.statement)) for key, one in REASONS.items()):
        assert (words(f"create.reason_{reason}"), words(f"create.states_{reason}")) == (label, statement)


def test_the_words_are_judged_by_how_long_they_take_to_say(open_studio):
    studio = open_studio()
    answers = [judge_words(studio, {"text": "word " * n, "seconds": 8.0}) for n in (2, 24, 90)]
    assert [answer["is_doubtful"] for answer in answers] == [True, False, True]
    assert [answer["case"] for answer in answers] == ["words_missing", "words_good", "words_extra"]
    assert all("8 s are spoken" in words(f"create.{answer['case']}", **answer["values"]) for answer in answers)


def test_the_report_is_about_the_region_alone(open_studio, drafts):
    studio, clip = open_studio(), taken(drafts)
    asked = {"draft": clip["draft"], "start": 0, "end": 500, "has_transcript": False}
    assert check_region(studio, drafts, asked)["obstacle"]["code"] == "clip_too_short"
    assert check_region(studio, drafts, asked | {"end": 4000})["seconds"] == 4.0


def test_the_rows_say_which_engine_takes_the_clip_and_what_others_lack(open_studio):
    def fits(studio: Studio, seconds: float, has_transcript: bool) -> list[str]:
        rows = engine_rows(studio, {"seconds": seconds, "has_transcript": has_transcript})["engines"]
        for row in rows:
            words(f"create.fit_{row['fit']}", **row["values"])
            words(f"create.engine_{row['state']}")
        return [row["fit"] for row in rows]

    studio = open_studio()
    assert fits(studio, 2.0, False) == ["as_it_is", "needs_words"]
    assert fits(studio, 2.0, True) == ["as_it_is", "takes_seconds"]
    assert fits(studio, 5.0, True) == ["as_it_is", "as_it_is"]
    with pytest.raises(EngineUnavailable):
        studio.load("other")
    assert [row["is_here"] for row in engine_rows(studio, {})["engines"]] == [True, False]


def test_loaded_engines_and_the_default_one_are_ticked(open_studio):
    studio = open_studio()
    assert [row["wanted"] for row in engine_rows(studio, {})["engines"]] == [True, False]
    studio.load("fake")
    with pytest.raises(EngineUnavailable):
        studio.load("other")
    fake, other = engine_rows(studio, {})["engines"]
    assert fake["state"] == "ready" and fake["wanted"]
    assert other["state"] == "unavailable" and not other["wanted"] and not other["is_here"]


# --- create


def test_the_region_is_stored_sample_by_sample_with_words_and_consent(open_studio, drafts):
    studio, clip = open_studio(), taken(drafts)
    made = create_voice(studio, drafts, fields(clip, start=500, end=6500))
    speaker = studio.speaker("ana")
    whole, _ = soundfile.read(io.BytesIO(wav_bytes(8.0, RATE)), dtype="float32")
    assert np.array_equal(speaker.read_clip().samples, whole[RATE // 2 : RATE // 2 + 6 * RATE])
    assert made == {"voice": "Ana", "generation": speaker.generation_id, "print": print_digest(speaker)}
    assert (speaker.transcript.text, speaker.transcript.language) == ("These are the words.", "en")
    assert speaker.consent == "My own voice: Ana, recorded today"
    record = speaker.consent_record
    assert (record.reason, record.version, record.clip_digest) == ("own", "1", speaker.clip_digest)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "code", "parameter"),
    [
        ({"reason": None}, "consent_missing", "consent"),
        ({"reason": "because"}, "consent_missing", "consent"),
        ({"who": "  "}, "consent_missing", "consent"),
        ({"name": ""}, "name_invalid", "name"),
        ({"name": "a/b"}, "name_invalid", "name"),
        ({"name": "tone"}, "name_reserved", "name"),
        ({"draft": None}, "clip_absent", "clip"),
        ({"draft": "guessed"}, "draft_gone", "clip"),
        ({"end": 700}, "clip_too_short", "clip"),
        ({"start": 5000, "end": 5000}, "clip_too_short", "clip"),
    ],
)
def test_a_refused_creation_says_why_and_where_and_stores_nothing(open_studio, drafts, changed, code, parameter):
    studio, clip = open_studio(), taken(drafts)
    problem = create_voice(studio, drafts, fields(clip, **changed))["problem"]
    assert (problem["code"], problem["parameter"]) == (code, parameter)
    assert problem["fact"] and problem["hint"]
    assert studio.speakers() == ()


def test_a_voice_is_never_replaced_by_the_page_unasked(open_studio, drafts):
    studio, clip = open_studio(), taken(drafts)
    first = create_voice(studio, drafts, fields(clip))
    refused = create_voice(studio, drafts, fields(clip, name=" ANA "))
    assert refused["problem"]["code"] == "name_taken"
    assert studio.speaker("Ana").generation_id == first["generation"]
    wanted = create_voice(studio, drafts, fields(clip, name=" ANA ", replace=True))  # but where that was asked for
    assert studio.speaker("Ana").generation_id == wanted["generation"] != first["generation"]


def test_what_the_same_visit_made_is_mended_and_renamed_in_place_of_a_second_voice(open_studio, drafts):
    studio, clip = open_studio(), taken(drafts)
    first = create_voice(studio, drafts, fields(clip))
    second = create_voice(studio, drafts, fields(clip, end=4000, made=first["generation"]))
    assert studio.speaker("Ana").seconds == 4.0 and second["generation"] != first["generation"]
    third = create_voice(studio, drafts, fields(clip, name="Rosa", made=second["generation"]))
    assert [speaker.name for speaker in studio.speakers()] == ["Rosa"] and third["voice"] == "Rosa"


def test_another_visits_voice_cannot_be_named_as_made_here(open_studio, drafts):
    studio, clip = open_studio(), taken(drafts)
    create_voice(studio, drafts, fields(clip))
    assert create_voice(studio, drafts, fields(clip, made="0" * 32))["problem"]["code"] == "name_taken"


def test_a_bug_is_told_without_a_stack_trace(open_studio, drafts, monkeypatch, caplog):
    studio, clip = open_studio(), taken(drafts)
    monkeypatch.setattr(studio.library, "create", lambda recording, made, replace: 1 / 0)
    problem = create_voice(studio, drafts, fields(clip))["problem"]
    assert problem["code"] == "defect" and "division" not in problem["fact"] + problem["hint"]
    assert "code=internal_error about=create_voice" in caplog.text and "ZeroDivisionError" in caplog.text


@pytest.mark.parametrize(
    ("number", "told"),
    [(errno.ENOSPC, ("disk_full", "disk is full. Nothing was saved")), (errno.EIO, ("disk_failed", "disk does not work"))],
)
def test_a_disk_that_does_not_take_the_voice_is_told_as_such(open_studio, drafts, monkeypatch, number, told):
    studio, clip = open_studio(), taken(drafts)
    code, words = told

    def fail(recording, most):
        raise OSError(number, os.strerror(number), "/secret/path")

    monkeypatch.setattr(studio.store, "add", fail)
    problem = create_voice(studio, drafts, fields(clip))["problem"]
    assert problem["code"] == code and words in problem["fact"] and problem["hint"]
    assert "/secret" not in str(problem)
    assert studio.speakers() == ()


# --- extract


def test_an_engine_that_learned_the_voice_says_how_much_and_how_long(open_studio, drafts):
    studio = open_studio()
    create_voice(studio, drafts, fields(taken(drafts)))
    answer = extract_voice(studio, {"voice": "Ana", "engine": "fake"})
    (file,) = studio.store.prompt_files(studio.speaker("Ana").generation)
    assert answer["bytes"] == file.n_bytes > 0 and answer["milliseconds"] >= 0
    assert studio.prompts.places(studio.speaker("Ana")) == {"fake": "memory"}


def test_what_the_disk_did_not_take_is_not_said_to_be_stored(open_studio, drafts, monkeypatch):
    studio = open_studio()
    create_voice(studio, drafts, fields(taken(drafts)))

    def full(*prompt):
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(studio.store, "write_prompt", full)
    assert extract_voice(studio, {"voice": "Ana", "engine": "fake"})["bytes"] == 0
    assert studio.prompts.places(studio.speaker("Ana")) == {"fake": "memory"}


def test_one_engines_failure_stops_no_other_and_keeps_the_voice(open_studio, drafts):
    studio = open_studio()
    create_voice(studio, drafts, fields(taken(drafts)))
    problem = extract_voice(studio, {"voice": "Ana", "engine": "other"})["problem"]
    assert "not here" in problem["fact"] and "make weights" in problem["hint"]
    assert "problem" not in extract_voice(studio, {"voice": "Ana", "engine": "fake"})
    assert [speaker.name for speaker in studio.speakers()] == ["Ana"]


@pytest.mark.parametrize("error", [ClipUnusable("clip_noisy", "Too noisy.", "Elsewhere."), EngineFailed("Out of memory.", "Try later.")])
def test_a_voice_that_an_engine_refuses_stays_with_the_engines_reason(open_studio, drafts, error):
    studio = open_studio(before_extract=raises(error))
    create_voice(studio, drafts, fields(taken(drafts)))
    problem = extract_voice(studio, {"voice": "Ana", "engine": "fake"})["problem"]
    assert (problem["fact"], problem["hint"]) == (error.fact, error.hint)
    assert [speaker.name for speaker in studio.speakers()] == ["Ana"]


def test_what_is_under_way_is_told_while_it_is(open_studio, drafts):
    states = []
    studio = open_studio(before_extract=lambda: states.append(extraction_states(studio, {"voice": "ana"})["states"]))
    create_voice(studio, drafts, fields(taken(drafts)))
    assert extraction_states(studio, {"voice": "Ana"})["states"] == {"fake": "waiting", "other": "waiting"}
    extract_voice(studio, {"voice": "Ana", "engine": "fake"})
    assert states == [{"fake": "extracting", "other": "waiting"}]
    assert extraction_states(studio, {"voice": "nobody"}) == {"states": {}, "learning": {}}
