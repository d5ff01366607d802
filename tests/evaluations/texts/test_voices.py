"""Folders of recordings: people, words beside, tables."""

import pytest

from studio.errors import EvaluationSpeakersUnusable
from studio.evaluations.texts.voices import read_voices


def put(folder, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"")


def test_every_recording_is_a_voice_with_the_words_that_lie_beside_it(tmp_path):
    put(tmp_path, "Zoé.wav", "ben.flac", "carl.MP3", "dora.ogg", "emil.opus", "fay.m4a", "notes.md", ".hidden.wav", "__MACOSX/x.wav")
    (tmp_path / "ben.txt").write_text("Hello\n there.\n", "utf-8")
    (tmp_path / "carl.lab").write_bytes("Grüße".encode("utf-16"))
    voices = read_voices(tmp_path, "en")
    assert {voice.label: (voice.words, voice.language, voice.person) for voice in voices} == {
        "Zoé": (None, None, ""),
        "ben": ("Hello there.", "en", ""),
        "carl": ("Grüße", "en", ""),
        "dora": (None, None, ""),
        "emil": (None, None, ""),
        "fay": (None, None, ""),
    }
    assert all(voice.path is not None and voice.path.is_file() for voice in voices) and len({voice.id for voice in voices}) == 6


def test_sub_folders_are_people_also_in_corpora(tmp_path):
    put(tmp_path, "wavs/anna/one.wav", "wavs/anna/two.wav", "wavs/ben/one.wav")
    assert [(voice.id, voice.label, voice.person) for voice in read_voices(tmp_path)] == [
        ("anna_one", "anna / one", "anna"),
        ("anna_two", "anna / two", "anna"),
        ("ben", "ben", "ben"),
    ]
    libri = tmp_path / "libri"
    put(libri, "1089/134686/1089-134686-0000.flac", "1089/134686/1089-134686-0001.flac", "121/1/121_1_000000_000001.wav")
    (libri / "1089/134686/1089-134686.trans.txt").write_text("1089-134686-0000 HE HOPED\n1089-134686-0001 STUFF IT\n", "utf-8")
    (libri / "121/1/121_1_000000_000001.normalized.txt").write_text("Also, a popular contrivance.", "utf-8")
    assert [(voice.id, voice.person, voice.words) for voice in read_voices(libri)] == [
        ("1089-134686-0000", "1089", "HE HOPED"),
        ("1089-134686-0001", "1089", "STUFF IT"),
        ("121", "121", "Also, a popular contrivance."),
    ]


def test_a_table_says_which_files_and_whose(tmp_path):
    put(tmp_path, "a/x.wav", "b.wav", "unlisted.wav")
    (tmp_path / "voices.csv").write_text("Sprache;Datei;Person;Worte\nDeutsch;a/x.wav;Anna;Guten Tag.\n;b;Anna;\n", "utf-8")
    assert [(voice.id, voice.words, voice.language, voice.person) for voice in read_voices(tmp_path)] == [
        ("Anna_x", "Guten Tag.", "de", "Anna"),
        ("Anna_b", None, None, "Anna"),
    ]


def test_what_is_missing_is_told(tmp_path):
    with pytest.raises(EvaluationSpeakersUnusable) as told:
        read_voices(tmp_path / "gone")
    assert told.value.values["sentence"] == "evaluation_voices_no_folder"
    with pytest.raises(EvaluationSpeakersUnusable) as told:
        read_voices(tmp_path)
    assert told.value.values["sentence"] == "evaluation_voices_none"
    (tmp_path / "voices.csv").write_text("file,words\n" + "".join(f"no{n}.wav,x\n" for n in range(9)), "utf-8")
    with pytest.raises(EvaluationSpeakersUnusable) as told:
        read_voices(tmp_path)
    assert (
        told.value.values["n"] == 9
        and told.value.values["files"].startswith("no0.wav, no1.wav")
        and "no8" not in told.value.values["files"]
    )
