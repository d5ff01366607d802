"""The command `script`: a file becomes a file of sound in one line, goes on where it was ended, and tells what it did."""

from argparse import Namespace

import pytest
import soundfile

from app import _parser
from engines.errors import EngineFailed
from studio.commands.begun_scripts import BegunScripts
from studio.commands.scripts import UNSAID, ScriptCommand
from studio.errors import CastFileUnusable, OutputUnknown, ScriptNotBegun
from studio.scripts.export.order import ExportOrder
from studio.words.sentences import sentences_in
from tests.stand_ins.fake_engine import FakeEngine

TEXT = "ANNA: Is anybody there?\n\nBEN: Only the wind.\n\nANNA: Then we wait.\n"
WORDS = sentences_in("en").words


def say(key: str, values) -> str:
    return WORDS(f"scripts.{key}", values)


class Mute(FakeEngine):
    """Cannot say what Ben says, until it is healed."""

    is_ill = True

    def stream(self, *arguments, **more):
        if self.is_ill and "wind" in str(arguments):
            raise EngineFailed("engine_failed", "It broke.", "Try again.")
        return super().stream(*arguments, **more)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "scene.txt").write_text(TEXT, encoding="utf-8")
    return tmp_path


def command(studio, folder, *arguments: str) -> ScriptCommand:
    words = [str(folder / word) if "." in word and not word.startswith("-") else word for word in arguments]
    options: Namespace = _parser().parse_args(["script", *words])
    return ScriptCommand(options, studio.scripts, BegunScripts(folder / "begun"), say)


def test_one_line_makes_a_file_of_sound_and_its_subtitles(open_studio, folder, capsys):
    studio = open_studio()
    assert command(studio, folder, "scene.txt", "--out", "scene.wav", "--subtitles", "--loudness", "-16", "--title", "Mine").run() == 0
    samples, rate = soundfile.read(folder / "scene.wav")
    assert len(samples) / rate > 2.0 and "Only the wind." in (folder / "scene.srt").read_text()
    told = capsys.readouterr()
    assert "Mine: read as dialogue; 3 lines" in told.out and "scene.srt" in told.out and "scene.wav: -16 LUFS is" in told.out
    assert "3 of 3 lines, 100 %" in told.err
    assert [script.head.title for script in studio.scripts.scripts()] == ["Mine"]
    assert command(studio, folder, "--list").list() == 0 and "3 of 3" in capsys.readouterr().out


def test_what_was_begun_goes_on_and_nothing_is_said_twice(open_studio, folder):
    engine = FakeEngine()
    studio = open_studio(engine)
    with pytest.raises(ScriptNotBegun):
        command(studio, folder, "scene.txt", "--resume", "--out", "scene.wav").run()
    command(studio, folder, "scene.txt", "--out", "scene.wav").run()
    n_texts = len(engine.texts)
    assert command(studio, folder, "scene.txt", "--resume", "--out", "scene.flac").run() == 0
    assert (folder / "scene.flac").is_file() and len(engine.texts) == n_texts == 3
    assert command(studio, folder, "scene.txt", "--resume", "--voice", "tone", "--out", "scene.flac").run() == 0
    assert len(studio.scripts.scripts()) == 1 and {member.voice for member in studio.scripts.scripts()[0].cast} == {"tone"}


def test_a_cast_gives_each_its_voice_and_a_name_that_nobody_has_is_refused(open_studio, folder):
    studio = open_studio()
    (folder / "cast.yaml").write_text("anna: tone\nBEN: {speed: 2.0}\n")
    command(studio, folder, "scene.txt", "--cast", "cast.yaml", "--out", "scene.wav").run()
    [script] = studio.scripts.scripts()
    assert [(member.name, member.voice, member.speed) for member in script.cast] == [("ANNA", "tone", 1.0), ("BEN", None, 2.0)]
    (folder / "cast.yaml").write_text("CARLA: tone\n")
    with pytest.raises(CastFileUnusable):
        command(studio, folder, "scene.txt", "--resume", "--cast", "cast.yaml", "--out", "scene.wav").run()


def test_lines_that_cannot_be_said_are_told_and_no_file_is_written_unless_it_may_lack_them(open_studio, folder, capsys):
    engine = Mute()
    studio = open_studio(engine)
    assert command(studio, folder, "scene.txt", "--out", "scene.wav").run() == UNSAID
    assert "1 line could not be said" in capsys.readouterr().err and not (folder / "scene.wav").exists()
    assert command(studio, folder, "scene.txt", "--resume", "--skip-unsaid", "--out", "scene.wav").run() == 0
    assert "1 line was never said" in capsys.readouterr().err
    engine.is_ill = False
    assert command(studio, folder, "scene.txt", "--resume", "--out", "scene.wav").run() == 0


def test_looking_at_a_file_keeps_nothing(open_studio, folder, capsys):
    studio = open_studio()
    assert command(studio, folder, "scene.txt", "--read").read() == 0
    assert "ANNA: 2 lines" in capsys.readouterr().out and studio.scripts.scripts() == ()


def test_a_file_that_cannot_be_written_is_refused_before_anything_is_said(open_studio, folder):
    from studio.commands.script_files import orders_of

    with pytest.raises(OutputUnknown):
        orders_of(_parser().parse_args(["script", "scene.txt", "--out", "scene.xyz"]))


def test_a_video_is_dubbed_as_the_command_says(open_studio, folder, monkeypatch):
    studio, asked = open_studio(), []
    (folder / "film.srt").write_text("1\n00:00:01,000 --> 00:00:03,000\nOnly the wind.\n")
    exported = type(studio.scripts).export
    sound = {"format": "wav"}

    def dub(scripts, script_id, video, order, progress=None):
        asked.append((video.name, order.original, order.original_db))
        return exported(scripts, script_id, ExportOrder.model_validate(sound))

    monkeypatch.setattr(type(studio.scripts), "dub", dub)
    run = command(studio, folder, "film.srt", "--dub", "film.mp4", "--original", "duck", "--original-db=-18", "--out", "dubbed.mp4").run
    assert run() == 0 and asked == [("film.mp4", "duck", -18.0)] and (folder / "dubbed.mp4").is_file()
