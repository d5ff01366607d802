"""`edit`: its changes are those of the API, and a command that cannot be done says so in one line."""

import argparse

import pytest

import app
from studio.commands.edit import changes_of
from studio.errors import RequestInvalid


def asked(**given) -> argparse.Namespace:
    return argparse.Namespace(**({"replace": [], "remove": [], "operations": "[]"} | given))


def test_changes_are_those_of_the_api():
    given = asked(replace=["three=four=five"], remove=["one "], operations='[{"kind": "pause", "start": 7}]')
    assert list(changes_of(given)) == [
        {"kind": "replace", "old": "three", "text": "four=five"},
        {"kind": "remove", "old": "one "},
        {"kind": "pause", "start": 7},
    ]
    for unclear in ("{}", "["):
        with pytest.raises(RequestInvalid):
            list(changes_of(asked(operations=unclear)))


def test_an_engine_that_edits_is_wanted_and_a_format_that_keeps_bits(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SPEAKER_SAMPLES_DIR", str(tmp_path))
    recording = tmp_path / "a.wav"
    recording.write_bytes(b"")
    command = ["edit", str(recording), "--words", "one two", "--replace", "one=six", "--engine", "espeak", "--out"]
    assert app.main([*command, str(tmp_path / "b.mp3")]) == 2 and "no .wav or .flac" in capsys.readouterr().err
    assert app.main([*command, str(tmp_path / "b.wav")]) == 2 and "does not change recordings" in capsys.readouterr().err
    assert not (tmp_path / "b.wav").exists()
