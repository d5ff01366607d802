"""The studio of Python programs: what it takes, what comes back, how it ends. On a fake engine, but for where two share a folder."""

import asyncio
import gc
import io
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import soundfile

import studio as package
from engines.errors import EngineFailed, LanguageUnsupported, OptionInvalid, TextUnspeakable
from studio.errors import ClipTooShort, ConsentMissing, EngineUnknown, RequestInvalid, SchemaInvalid, SpeakerUnknown, SpeechCancelled
from studio.notebook.notebook import NotebookStudio
from studio.prompts import refiner
from studio.settings import SettingsInvalid
from tests.house.source_files import ROOT
from tests.stand_ins.fake_engine import CHUNK_SAMPLES, INFO, N_STEPS, REFINER, SAMPLE_RATE, FakeEngine, heard_pitch

RATE = 16_000
TONE = (0.3 * np.sin(2 * np.pi * 220 * np.arange(2 * RATE) / RATE)).astype(np.float32)  # (T,), 2 s


@pytest.fixture
def engine():
    return FakeEngine()


@pytest.fixture
def notebook(open_studio, engine):
    return NotebookStudio.over(open_studio(engine))


@pytest.fixture
def recording(tmp_path):
    path = tmp_path / "me.wav"
    soundfile.write(path, TONE, RATE, subtype="FLOAT")
    return path


def eventually(is_so) -> bool:
    """Whether it comes to be so; the engine's thread takes its time."""
    deadline = time.monotonic() + 10
    while not is_so() and time.monotonic() < deadline:
        threading.Event().wait(0.005)
    return is_so()


@pytest.mark.slow
def test_to_import_the_package_imports_nothing_and_its_door_no_page_and_no_model():
    code = "import sys, studio; a = {m for m in sys.modules if m.partition('.')[0] in ('studio', 'engines', 'numpy')}; studio.Studio\n"
    code += "print(sorted(a), 'torch' in sys.modules, 'gradio' in sys.modules, hasattr(studio, 'Studios'))"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "['studio'] False False False"
    assert package.Studio is NotebookStudio and "Studio" in package.__all__


def test_a_voice_is_enrolled_and_speaks_by_its_name_and_by_itself(notebook, recording):
    voice = notebook.enroll(recording, name="Me", consent="mine", transcript="la la", language="English")
    assert (voice.name, voice.seconds, voice.transcript, str(voice)) == ("Me", 2.0, "la la", "Me")
    assert notebook.voices() == (voice,)
    for named in ("me", voice):
        speech = notebook.speak("Hello there.", voice=named)
        assert (speech.engine, speech.sample_rate, speech.end) == ("fake", SAMPLE_RATE, None)
        chunks = list(speech)
        assert {chunk.dtype for chunk in chunks} == {np.dtype(np.float32)} and all(chunk.ndim == 1 for chunk in chunks)
        assert speech.end.reason == "ended" and speech.warning == "" and speech.timings["cache"] in ("hit", "miss", "joined")
        assert speech.seconds == pytest.approx(len("Hello there.") * 0.05) == sum(map(len, chunks)) / SAMPLE_RATE
    notebook.forget(voice)
    assert notebook.voices() == ()


def test_a_voice_is_learned_before_it_speaks_and_as_well_as_it_gets(open_studio, recording, monkeypatch):
    monkeypatch.setattr(refiner, "SETTLE_SECONDS", 0.0)
    engine = FakeEngine(REFINER)
    notebook = NotebookStudio.over(open_studio(engine, warm_uploads=False))
    voice = notebook.enroll(recording, name="Me", consent="mine")
    assert notebook.learn(voice) is None and engine.extractions == 1
    notebook.learn("me", "refiner", until="best")
    assert len(engine.steps) == N_STEPS and notebook.speak("Hello", voice=voice).timings["cache"] == "hit"
    with pytest.raises(SpeakerUnknown, match="nobody"):
        notebook.learn("nobody")


@pytest.mark.parametrize("form", ["text", "path", "bytes", "file", "pair", "stereo", "integers"])
def test_a_recording_is_the_same_voice_in_whatever_form_it_comes(notebook, recording, form, engine):
    given = {
        "text": str(recording),
        "path": recording,
        "bytes": recording.read_bytes(),
        "file": io.BytesIO(recording.read_bytes()),
        "pair": (TONE, RATE),
        "stereo": (np.stack([TONE, TONE], axis=1), RATE),
        "integers": (np.rint(TONE * 32767).astype(np.int16), RATE),
    }[form]
    samples = notebook.speak("Who is it", clip=given).read_all()
    by_path = notebook.speak("Who is it", clip=recording).read_all()
    assert form == "integers" or heard_pitch(samples) == heard_pitch(by_path)
    assert engine.extractions == (2 if form == "integers" else 1)  # which round the samples
    assert notebook.voices() == (), "a recording for one text is nobody's voice"


def test_integers_are_samples_of_their_full_scale(notebook, open_studio, engine):
    for name, kind in (("short", np.int16), ("long", np.int32)):
        samples = np.rint(TONE * np.iinfo(kind).max).astype(kind)
        notebook.enroll((samples, RATE), name=name, consent="mine")
        kept = open_studio(engine).speaker(name).read_clip()  # on the same folder
        assert kept.sample_rate == RATE and np.allclose(kept.samples, TONE, atol=1e-4)


def test_what_is_no_recording_is_a_mistake_of_the_program(notebook, tmp_path):
    for wrong in (3, (RATE, TONE), (TONE, RATE, 1), None):
        with pytest.raises(TypeError, match="a recording is a path"):
            notebook.enroll(wrong, name="Me", consent="mine")
    with pytest.raises(FileNotFoundError):
        notebook.speak("Hello", clip=tmp_path / "nowhere.wav")


def test_the_fields_of_the_api_and_the_options_of_the_engine_go_by_their_own_names(notebook, engine):
    notebook.speak("a", language="German", speed=2.0, seed=np.int64(7), engine="fake", voice="tone", sample_rate=8000).read_all()
    assert engine.options[-1] == {"seed": 7, "speed": 2.0, "language": "de"}
    assert notebook.speak("a", model="fake", extra_params={"seed": 3}).sample_rate == SAMPLE_RATE
    assert notebook.speak("a", sample_rate=8000).sample_rate == 8000
    assert len(notebook.speak("abcd", speaker_embedding=np.ones(8)).read_all()) == 4 * 0.05 * SAMPLE_RATE
    for wrong in ({"stream": True}, {"response_format": "mp3"}, {"engine": "fake", "model": "fake"}, {"clip": b"x", "ref_audio": "data:,"}):
        with pytest.raises(TypeError):
            notebook.speak("a", **wrong)


def test_several_recordings_of_one_person_are_one_voice(notebook):
    voice = notebook.enroll([(TONE, RATE), (TONE[::-1], RATE)], name="Me", consent="mine", transcript=["la", "le"])
    assert (voice.seconds, voice.transcript) == (4.0, "la\nle")


@pytest.mark.parametrize(
    ("kind", "text", "fields"),
    [
        (SpeakerUnknown, "There is no voice “Mee” here. Did you mean Me?", {"voice": "Mee"}),
        (EngineUnknown, "There is no engine “nope” here. Engines: fake", {"engine": "nope"}),
        (OptionInvalid, "Fake has no setting warmth. Its options are language, seed, speed.", {"warmth": 1}),
        (LanguageUnsupported, "Invalid language 'Klingon'", {"language": "Klingon"}),
        (SchemaInvalid, "body.speed", {"speed": 9}),
        (ClipTooShort, "100 ms", {"clip": (TONE[:1600], RATE)}),
    ],
)
def test_a_mistake_is_an_error_of_its_own_type_with_the_next_step_in_its_text(notebook, recording, kind, text, fields):
    notebook.enroll(recording, name="Me", consent="mine")
    with pytest.raises(kind) as refused:
        notebook.speak("Hello", **fields)
    assert text in str(refused.value) and refused.value.fact in str(refused.value) and str(refused.value).endswith(refused.value.hint)


def test_nobody_is_enrolled_without_consent(notebook, recording):
    with pytest.raises(ConsentMissing, match="State the consent"):
        notebook.enroll(recording, name="Me", consent=" ")
    with pytest.raises(TypeError):
        notebook.enroll(recording, name="Me")


def test_the_time_to_first_packet_is_there_with_the_first_chunk(open_studio):
    may_speak = threading.Event()
    notebook = NotebookStudio.over(open_studio(FakeEngine(before_chunk=lambda index: may_speak.wait(10))))
    speech = notebook.speak("Hello", voice="tone")
    assert speech.ttfp_seconds is None and speech.seconds == 0 and "under way" in repr(speech)
    may_speak.set()
    for _ in speech:
        assert 0 < speech.ttfp_seconds < 10
    assert speech.ttfp_seconds == pytest.approx(speech.timings["first_audio_ms"] / 1000, abs=1e-5)


LONG_TEXT = "x" * 4_000  # 200 s, of which a listener's queue holds 30


@pytest.mark.parametrize("way", ["left", "closed", "with", "dropped", "never heard"])
def test_who_leaves_early_stops_the_engine(notebook, engine, way):
    speech = notebook.speak(LONG_TEXT, voice="tone")
    assert eventually(lambda: engine.chunks_made)
    if way == "left":
        for _ in speech:
            break
    elif way == "closed":
        next(chunks := iter(speech))
        speech.close()
        with pytest.raises(SpeechCancelled):
            list(chunks)
    elif way == "with":
        with speech:
            assert speech.end is None
    elif way == "dropped":
        for _ in notebook.speak(LONG_TEXT, voice="tone"):
            break
        speech.close()
    if way != "never heard":
        assert speech.end.reason == "cancelled" and speech._repr_html_() is None
        with pytest.raises(SpeechCancelled):
            speech.read_all()
    del speech
    gc.collect()
    assert eventually(lambda: engine.streams_closed == len(engine.texts))
    assert engine.chunks_made < 2 * 40 * SAMPLE_RATE / CHUNK_SAMPLES


def test_a_speech_can_be_heard_again_and_what_a_listener_does_to_a_chunk_is_its_own_affair(notebook):
    speech = notebook.speak("Hello again", voice="tone")
    first = []
    for chunk in speech:
        first.append(chunk.copy())
        chunk[:] = 0
    assert np.array_equal(np.concatenate(first), speech.read_all()) and np.abs(speech.read_all()).max() > 0.4


@pytest.mark.parametrize("suffix", ["wav", "mp3", "flac", "opus", "WAV"])
def test_a_speech_is_saved_by_the_ending_of_the_name(notebook, tmp_path, suffix):
    path = tmp_path / f"out.{suffix}"
    path.write_text("what was there before")
    before = path.stat().st_ino
    speech = notebook.speak("Hello out there", voice="tone")
    assert speech.save(str(path)) == path
    samples, rate = soundfile.read(path)
    assert len(samples) / rate == pytest.approx(speech.seconds, abs=0.1) and np.abs(samples).max() > 0.3
    assert [file.name for file in tmp_path.glob("*out*")] == [path.name] and path.stat().st_ino != before, "it is another file, at once"


def test_what_cannot_be_saved_leaves_what_was_there(open_studio, tmp_path):
    notebook = NotebookStudio.over(open_studio(FakeEngine(fail_at_chunk=2), "speakers"))
    (kept := tmp_path / "out.wav").write_text("before")
    with pytest.raises(EngineFailed):
        notebook.speak("Hello out there", voice="tone").save(kept)
    with pytest.raises(RequestInvalid, match=r"saved as \.wav, .*'.*out\.txt' ends otherwise"):
        notebook.speak("Hello", voice="tone").save(tmp_path / "out.txt")
    with pytest.raises(FileNotFoundError):
        NotebookStudio.over(open_studio(FakeEngine(), "others")).speak("Hello", voice="tone").save(tmp_path / "nowhere" / "out.wav")
    assert kept.read_text() == "before" and {path.name for path in tmp_path.iterdir()} == {"out.wav", "speakers", "others"}


def test_a_notebook_shows_a_player_of_a_speech_that_was_heard(notebook):
    speech = notebook.speak("Hello", voice="tone")
    assert speech._repr_html_() is None
    list(speech)
    assert speech._repr_html_().startswith('<audio controls src="data:audio/wav;base64,UklGR')
    assert repr(speech) == "<NotebookSpeech of 0.25 s at 24000 Hz by fake, ended>"


def test_async_listeners_have_the_same_chunks_and_leave_the_loop_free(notebook, engine):
    async def hear() -> tuple[list[np.ndarray], int]:
        speeches = await asyncio.gather(*(notebook.aspeak(text, voice="tone") for text in ("Hello there", LONG_TEXT)))
        chunks = [chunk async for chunk in speeches[0]]
        n = 0
        listener = aiter(speeches[1])
        async for _ in listener:
            n += 1
            if n == 3:
                break
        await listener.aclose()
        with pytest.raises(SpeakerUnknown):
            await notebook.aspeak("Hello", voice="nobody")
        return chunks, speeches[1].end.reason

    chunks, reason = asyncio.run(hear())
    assert reason == "cancelled"
    assert np.array_equal(np.concatenate(chunks), notebook.speak("Hello there", voice="tone").read_all())
    assert eventually(lambda: engine.streams_closed == len(engine.texts))


def test_what_goes_wrong_while_it_speaks_is_raised_where_it_is_heard(open_studio):
    notebook = NotebookStudio.over(open_studio(FakeEngine(fail_at_chunk=1)))
    speech, heard = notebook.speak("Hello", voice="tone"), 0
    with pytest.raises(EngineFailed, match="told to fail"):
        for _ in speech:
            heard += 1
    assert heard == 1 and speech.end.reason == "failed"


def test_it_closes_at_the_end_of_a_with_once_and_when_nobody_holds_it(open_studio, engine):
    with NotebookStudio.over(open_studio(engine)) as notebook:
        notebook.speak("Hello", voice="tone").read_all()
    notebook.close()
    assert engine.closed
    with pytest.raises(SpeechCancelled, match="closing"):
        notebook.speak("Hello", voice="tone")
    dropped = FakeEngine()
    speech = NotebookStudio.over(open_studio(dropped)).speak("Hello", voice="tone")
    assert len(speech.read_all()) and not dropped.closed, "its speech holds it"
    del speech
    gc.collect()
    assert dropped.closed


def test_two_in_one_process_share_a_folder_and_settings_come_by_name_over_the_environment(tmp_path, recording, monkeypatch):
    monkeypatch.setenv("SPEAKER_SAMPLES_DIR", str(tmp_path / "of the environment"))
    monkeypatch.setenv("STUDIO_MAX_TEXT_CHARACTERS", "5")
    monkeypatch.setenv("STUDIO_DEFAULT_ENGINE", "espeak")
    with NotebookStudio(speakers_dir=tmp_path / "voices") as one, NotebookStudio(speakers_dir=str(tmp_path / "voices")) as other:
        voice = one.enroll(recording, name="Me", consent="mine")
        assert other.voices() == (voice,)
        one.forget("Me")
        with pytest.raises(SpeakerUnknown):
            other.speak("Hi", voice=voice, engine="espeak")
        with pytest.raises(TextUnspeakable, match="8 characters, and 5 are the limit"):
            other.speak("Too long", voice="default", engine="espeak")
        assert INFO.id not in [info.id for info in one.engines()] and not (tmp_path / "of the environment").exists()
    with pytest.raises(SettingsInvalid, match="Unknown setting speaker_dir"):
        NotebookStudio(speaker_dir="voices")
