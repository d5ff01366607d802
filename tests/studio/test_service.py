"""Studio: the verbs over a fake engine and a real store. Who speaks is heard by pitch."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engines.clips.clip import Clip, Transcript
from engines.errors import OptionInvalid, PresetUnknown, TextUnspeakable
from studio.errors import EngineUnknown, NameReserved, SpeakerRequired, SpeakerUnknown
from studio.service import Studio
from studio.speakers.speaker import Enrollment
from studio.speakers.tensor import SpeakerTensor
from studio.speech.request import SpeechRequest
from studio.speech.voice_of import source_of
from studio.timeline import Timeline
from tests.stand_ins.fake_engine import INFO, FakeEngine, heard_pitch, pitch_of


def recording(name: str = "Alice", seed: int = 1, **more) -> Enrollment:
    return Enrollment(name, "consent-1", clip=clip_of(seed), **more)


def clip_of(seed: int) -> Clip:
    return Clip(np.random.default_rng(seed).standard_normal(48_000).astype(np.float32) * 0.1, 24_000)


def hear(studio: Studio, **request) -> tuple[float, str]:
    """(pitch in Hz, cache outcome) of a speech."""
    with studio.speak(SpeechRequest("A sentence to say.", **request)) as speech:
        samples = speech.read_all()
    return heard_pitch(samples), speech.timeline.cache


def files_in(folder: Path) -> list[str]:
    """All but the directory's lock, which is always empty."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.stat().st_size)


def test_a_speaker_is_created_cached_and_speaks_in_its_own_voice(open_studio):
    studio = open_studio()
    speaker = studio.enroll(recording())
    pitch, outcome = hear(studio, speaker="alice ")
    assert pitch == pytest.approx(pitch_of(speaker.clip_digest), abs=1)
    assert (outcome, hear(studio, speaker="ALICE")[1]) == ("miss", "hit")


def test_every_stage_of_a_cold_request_is_on_its_timeline_and_a_warm_one_has_no_extraction(open_studio):
    studio = open_studio()
    studio.enroll(recording())
    timelines = []
    for _ in range(2):
        timeline = Timeline()
        studio.speak(SpeechRequest("Hello.", speaker="Alice"), timeline).read_all()
        timelines.append(timeline.stages())
    assert {"resolve", "load", "prompt", "extract", "queue", "first_chunk", "first_audio", "total"} == set(timelines[0])
    assert {"resolve", "prompt", "queue", "first_chunk", "first_audio", "total"} == set(timelines[1])


def test_prompts_survive_a_restart_and_need_no_second_extraction(open_studio):
    first = open_studio()
    speaker = first.enroll(recording())
    first.warm("Alice")
    first.close()
    engine = FakeEngine()
    second = open_studio(engine)
    assert second.prompts.places(second.speaker("Alice")) == {"fake": "disk"}
    assert hear(second, speaker="Alice") == (pytest.approx(pitch_of(speaker.clip_digest), abs=1), "disk")
    assert engine.extractions == 0
    assert second.prompts.places(second.speaker("Alice")) == {"fake": "memory"}


def test_a_speaker_whose_file_is_gone_is_deleted_whatever_is_in_memory(open_studio, tmp_path):
    studio = open_studio()
    studio.enroll(recording())
    studio.warm("Alice")
    next(tmp_path.glob("*.safetensors")).unlink()
    with pytest.raises(SpeakerUnknown):
        studio.speak(SpeechRequest("Say this.", speaker="Alice"))
    assert (studio.stats().entries, list(tmp_path.glob("prompts/*"))) == (0, [])


def test_warming_reports_what_it_did(open_studio):
    studio = open_studio()
    studio.enroll(recording())
    assert studio.warm("Alice").status == "extracted"
    assert studio.warm("Alice").status == "existing"
    assert studio.warm("Alice", force=True).status == "extracted"
    assert hear(studio, speaker="Alice")[1] == "hit"


def test_warming_prepares_the_engine(open_studio):
    engine = FakeEngine()
    studio = open_studio(engine)
    studio.enroll(recording())
    studio.warm("Alice")
    assert len(engine.prepared) == 1


def test_a_second_warming_may_ask_instead_of_wait(open_studio):
    extracting, go_on = threading.Event(), threading.Event()

    def hold():
        extracting.set()
        assert go_on.wait(60)

    studio = open_studio(FakeEngine(before_extract=hold))
    studio.enroll(recording())
    with ThreadPoolExecutor(1) as caller:
        first = caller.submit(studio.warm, "Alice")
        assert extracting.wait(60)
        assert studio.warm("Alice", join=False).status == "processing"
        go_on.set()
        assert first.result(60).status == "extracted"


def test_evicting_makes_the_next_request_a_cold_one(open_studio):
    engine = FakeEngine()
    studio = open_studio(engine)
    studio.enroll(recording())
    studio.warm("Alice")
    studio.evict("Alice")
    assert studio.prompts.places(studio.speaker("Alice")) == {}
    assert hear(studio, speaker="Alice")[1] == "miss"
    assert engine.extractions == 2


@pytest.mark.slow
def test_sixteen_first_requests_at_once_cause_one_extraction(open_studio):
    engine = FakeEngine()
    studio = open_studio(engine)
    speaker = studio.enroll(recording())
    together = threading.Barrier(16)

    def ask(_):
        together.wait()
        return hear(studio, speaker="Alice")

    with ThreadPoolExecutor(16) as callers:
        heard = list(callers.map(ask, range(16)))
    assert engine.extractions == 1
    assert all(pitch == pytest.approx(pitch_of(speaker.clip_digest), abs=1) for pitch, _ in heard)
    assert [outcome for _, outcome in heard].count("miss") == 1


def test_deleting_during_an_extraction_leaves_nothing_in_memory_on_disk_or_in_the_engine(open_studio, tmp_path):
    extracting, go_on = threading.Event(), threading.Event()

    def hold():
        extracting.set()
        assert go_on.wait(60)

    engine = FakeEngine(before_extract=hold)
    studio = open_studio(engine)
    old = studio.enroll(recording(seed=1))
    with ThreadPoolExecutor(1) as caller:
        asked = caller.submit(hear, studio, speaker="Alice")
        assert extracting.wait(60)
        studio.forget("Alice")
        go_on.set()
        assert asked.result(60)[0] == pytest.approx(pitch_of(old.clip_digest), abs=1)
    new = studio.enroll(recording(seed=2))
    assert hear(studio, speaker="Alice")[0] == pytest.approx(pitch_of(new.clip_digest), abs=1)
    studio.forget("Alice")
    assert studio.stats().entries == studio.stats().memory_bytes == 0
    hear(studio)  # whatever the engine's thread had to forget, it has forgotten before it says this
    assert len(engine.prepared) == 1
    studio.close()
    assert files_in(tmp_path) == []


@pytest.mark.slow
def test_a_name_that_changes_hands_never_speaks_in_the_old_voice(open_studio):
    """Uploads and deletes of one name among a hundred requests: every answer is in a voice that was current during its request."""
    studio = open_studio()
    voices = [pitch_of(clip_of(seed).digest) for seed in range(6)]
    begun, safe = [0], [0]  # the newest recording whose upload has begun, and the newest that is stored
    studio.enroll(recording(seed=0))
    changing = threading.Event()

    def ask(_):
        earliest = safe[-1]
        try:
            pitch, _outcome = hear(studio, speaker="Alice")
        except SpeakerUnknown:
            return True
        return any(abs(pitch - voices[seed]) < 1 for seed in range(earliest, begun[-1] + 1))

    with ThreadPoolExecutor(8) as callers:
        asked = [callers.submit(ask, index) for index in range(100)]
        for seed in range(1, 6):
            changing.wait(0.01)
            begun.append(seed)
            if seed % 2:
                studio.forget("Alice")
            studio.enroll(recording(seed=seed))
            safe.append(seed)
        assert all(future.result(30) for future in asked)
    assert studio.stats().entries <= 1
    assert hear(studio, speaker="Alice")[0] == pytest.approx(voices[5], abs=1)


def test_speech_under_way_ends_in_the_voice_it_began_with(open_studio):
    started, go_on = threading.Event(), threading.Event()

    def hold(index):
        if index == 2:
            started.set()
            assert go_on.wait(60)

    studio = open_studio(FakeEngine(before_chunk=hold))
    old = studio.enroll(recording(seed=1))
    speech = studio.speak(SpeechRequest("A sentence to say.", speaker="Alice"))
    assert started.wait(60)
    studio.enroll(recording(seed=2))
    go_on.set()
    assert heard_pitch(speech.read_all()) == pytest.approx(pitch_of(old.clip_digest), abs=1)


def test_inline_audio_beats_a_name_and_never_touches_its_prompt(open_studio, tmp_path):
    studio = open_studio()
    alice = studio.enroll(recording(seed=1))
    other = clip_of(2)
    assert hear(studio, speaker="Alice", clip=other) == (pytest.approx(pitch_of(other.digest), abs=1), "miss")
    assert hear(studio, speaker="Alice") == (pytest.approx(pitch_of(alice.clip_digest), abs=1), "miss")
    assert hear(studio, clip=other)[1] == "hit"
    studio.close()
    assert len(list(tmp_path.rglob("prompts/*/*"))) == 1


def test_two_speakers_with_one_recording_share_the_prompt_and_part_in_peace(open_studio):
    engine = FakeEngine()
    studio = open_studio(engine)
    studio.enroll(recording("Alice", seed=1))
    studio.enroll(recording("Bob", seed=1))
    assert hear(studio, speaker="Alice")[1] == "miss"
    assert hear(studio, speaker="Bob")[1] == "hit"
    studio.forget("Alice")
    assert hear(studio, speaker="Bob")[1] == "hit"
    assert engine.extractions == 1
    studio.close()
    assert [file.engine for file in studio.store.prompt_files(studio.speaker("Bob").generation)] == ["fake"]


def test_a_speaker_embedding_speaks(open_studio):
    studio = open_studio()
    studio.enroll(Enrollment("Vector", "c", tensor=SpeakerTensor.of(np.full(8, 10, np.float32))))
    assert hear(studio, speaker="vector")[0] == pytest.approx(380, abs=1)
    assert hear(studio, embedding=np.full(8, 20, np.float32))[0] == pytest.approx(460, abs=1)


def test_no_name_means_the_engines_own_voice_and_only_where_it_has_one(open_studio, tmp_path):
    assert hear(open_studio())[0] == pytest.approx(440, abs=1)
    assert hear(open_studio(), speaker="default")[0] == pytest.approx(440, abs=1)
    assert hear(open_studio(), speaker="Tone")[0] == pytest.approx(440, abs=1)
    voiceless = FakeEngine(info=type(INFO)(**{**vars(INFO), "presets": (), "default_preset": None}))
    with pytest.raises(SpeakerRequired):
        hear(open_studio(voiceless))


def test_a_corrected_transcript_re_encodes_nothing_where_it_shapes_nothing(open_studio):
    engine = FakeEngine()
    studio = open_studio(engine)
    studio.enroll(recording(transcript=Transcript("helo")))
    hear(studio, speaker="Alice")
    assert hear(studio, speaker="Alice", transcript=Transcript("hello"))[1] == "hit"
    assert engine.extractions == 1


@pytest.mark.parametrize(
    ("request_fields", "error"),
    [
        ({"speaker": "Nobody"}, SpeakerUnknown),
        ({"engine": "nope"}, EngineUnknown),
        ({"options": {"speed": 9}}, OptionInvalid),
        ({"options": {"temperature": 1}}, OptionInvalid),
        ({"text": "  "}, TextUnspeakable),
        ({"text": "x" * 20_001}, TextUnspeakable),
    ],
)
def test_a_request_that_cannot_be_met_is_refused_not_mended(open_studio, request_fields, error):
    studio = open_studio()
    with pytest.raises(error):
        studio.speak(SpeechRequest(**{"text": "Hello.", **request_fields}))


def test_a_preset_that_the_opened_engine_lacks_is_nobody_rather_than_its_own(open_studio):
    studio = open_studio(FakeEngine(replace(INFO, presets=("tone",))), infos={"fake": replace(INFO, presets=("tone", "bell"))})
    with pytest.raises(SpeakerUnknown):
        studio.speak(SpeechRequest("hello", speaker="bell"))


def test_of_two_presets_that_differ_in_spelling_alone_the_one_that_is_spelt_so_speaks(open_studio):
    info = replace(INFO, presets=("tone", "Tone"))
    workspace_speakers = open_studio(FakeEngine(info)).workspace_speakers
    meant = {name: source_of(SpeechRequest("hello", speaker=name), info, workspace_speakers, {}) for name in ("tone", "Tone", "TONE")}
    assert [source.digest for source in meant.values()] == ["preset:tone", "preset:Tone", "preset:tone"]


def test_a_preset_of_another_engine_is_named_as_such(open_studio):
    one, two = FakeEngine(), FakeEngine(info=type(INFO)(**{**vars(INFO), "id": "two", "title": "Two", "presets": ("other",)}))
    engines = {"fake": one, "two": two}
    studio = open_studio(infos={name: engine.info for name, engine in engines.items()}, open_engine=engines.__getitem__)
    with pytest.raises(PresetUnknown, match="built into Two, and not into Fake"):
        studio.speak(SpeechRequest("Hello.", speaker="other"))


def test_a_built_in_speakers_name_cannot_be_taken(open_studio):
    with pytest.raises(NameReserved):
        open_studio().enroll(recording("TONE"))


def test_a_failed_extraction_is_not_remembered(open_studio):
    tries = []

    def fail_once():
        tries.append(1)
        if len(tries) == 1:
            raise OSError("no luck")

    studio = open_studio(FakeEngine(before_extract=fail_once))
    studio.enroll(recording())
    with pytest.raises(OSError, match="no luck"):
        hear(studio, speaker="Alice")
    assert hear(studio, speaker="Alice")[1] == "miss"


def test_a_disk_that_fails_after_the_file_is_gone_does_not_keep_the_voice_in_memory(open_studio, monkeypatch):
    studio = open_studio()
    studio.enroll(recording())
    studio.warm("Alice")
    remove = studio.workspace_speakers.remove

    def remove_and_fail(name):
        remove(name)
        raise OSError("the directory cannot be synced")

    monkeypatch.setattr(studio.workspace_speakers, "remove", remove_and_fail)
    with pytest.raises(OSError, match="cannot be synced"):
        studio.forget("Alice")
    assert studio.stats().entries == 0


def test_a_speaker_that_another_process_deleted_leaves_memory_and_history_with_the_next_look(open_studio, tmp_path):
    studio = open_studio()
    studio.enroll(recording())
    hear(studio, speaker="Alice", keep=True)
    studio.history.settle()
    assert (studio.stats().entries, len(studio.history.entries())) == (1, 1)
    next(tmp_path.glob("*.safetensors")).unlink()
    assert studio.speakers() == ()
    assert (studio.stats().entries, studio.history.entries()) == (0, ())


def test_what_another_studio_on_the_folder_deletes_leaves_memory_here_too(open_studio):
    here, there = open_studio(warm_uploads=False), open_studio(warm_uploads=False)
    here.enroll(recording())
    here.warm("alice")
    there.forget("alice")
    assert here.stats().entries == 1 and here.speakers() == () and here.stats().entries == 0
