"""Lists that name recordings: whose voice says which text, and what is told of recordings that are not there."""

import pytest

from studio.errors import EvaluationTextsUnusable
from studio.evaluations.texts.read import read_texts
from tests.evaluations.texts.test_lists import notes_of, said_in_every_language
from tests.evaluations.texts.test_voices import put

SEED = (
    "cv_en_1-cv_en_2|We asked over twenty people.|prompt-wavs/cv_en_1.wav|Get it to the bank early.\n"
    "cv_en_1-cv_en_3|We asked over twenty people.|prompt-wavs/cv_en_1.wav|Nothing is as it was.|wavs/cv_en_3.wav\n"
    "cv_en_4-cv_en_5|One by one they went.|prompt-wavs/cv_en_4.wav|He is the man.|wavs/gone.wav\n"
)


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "set" / "en"
    for name in ("prompt-wavs/cv_en_1.wav", "prompt-wavs/cv_en_4.wav", "wavs/cv_en_3.wav"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(b"")
    return place


def test_seed_tts_eval_binds_each_text_to_its_prompt(folder):
    read = read_texts(SEED.encode(), "meta.lst", folder=folder)
    assert read.taken_for == "seed_tts_eval"
    assert [(text.id, text.voice, text.language) for text in read.texts] == [
        ("cv_en_1-cv_en_2", "cv_en_1", "en"),
        ("cv_en_1-cv_en_3", "cv_en_1", "en"),
        ("cv_en_4-cv_en_5", "cv_en_4", "en"),
    ]
    assert [(voice.id, voice.path, voice.words, voice.language) for voice in read.voices] == [
        ("cv_en_1", folder / "prompt-wavs/cv_en_1.wav", "We asked over twenty people.", "en"),
        ("cv_en_4", folder / "prompt-wavs/cv_en_4.wav", "One by one they went.", "en"),
    ]
    assert read.references == {"cv_en_1-cv_en_3": folder / "wavs/cv_en_3.wav"}
    assert notes_of(read) == {
        "texts_references_missing": {"n": 1, "files": "wavs/gone.wav"},
        "texts_language_of_file": {"code": "en"},
    }
    said_in_every_language(read)


def test_the_chinese_prompts_of_seed_tts_eval_tell_whose_they_are(tmp_path):
    put(tmp_path, "zh/p/10002287-00000094.wav", "zh/p/10002287-00000095.wav")
    lines = "10002287-1|好。|p/10002287-00000094.wav|你好。\n10002287-2|好。|p/10002287-00000095.wav|再见。\n"
    read = read_texts(lines, "meta.lst", folder=tmp_path / "zh")
    assert [(voice.person, voice.language) for voice in read.voices] == [("10002287", "zh")] * 2 and len(
        {text.voice for text in read.texts}
    ) == 2


def test_the_order_of_three_columns_is_that_of_seed_tts_evals_own_script(folder):
    read = read_texts("u1.wav|Get it.|prompt-wavs/cv_en_1.wav\nu2.wav|He is.|prompt-wavs/cv_en_4.wav\n", folder=folder)
    assert [(text.id, text.text, text.voice) for text in read.texts] == [("u1", "Get it.", "cv_en_1"), ("u2", "He is.", "cv_en_4")]


def test_a_prompt_that_is_missing_leaves_out_its_texts_and_no_other_voice_says_them(folder):
    (folder / "prompt-wavs/cv_en_1.wav").unlink()
    read = read_texts(SEED, folder=folder, language="en")
    assert [text.voice for text in read.texts] == ["cv_en_4"]
    assert notes_of(read)["texts_recordings_missing"] == {"n": 1, "files": "prompt-wavs/cv_en_1.wav", "lines": "1, 2"}
    said_in_every_language(read)
    (folder / "prompt-wavs/cv_en_4.wav").unlink()
    with pytest.raises(EvaluationTextsUnusable) as told:
        read_texts(SEED, folder=folder)
    assert told.value.values["files"] == "prompt-wavs/cv_en_1.wav, prompt-wavs/cv_en_4.wav"


def test_no_file_is_opened_without_a_folder_nor_outside_of_what_was_brought(folder, tmp_path):
    read = read_texts(SEED)
    assert not read.voices and not read.references and [text.voice for text in read.texts] == [None] * 3
    assert notes_of(read) == {"texts_unbound": {"n": 3}}
    (tmp_path / "secret.wav").write_bytes(b"")
    (folder / "link.wav").symlink_to(tmp_path / "secret.wav")
    outside = ("../../secret.wav", "..\\..\\secret.wav", str(tmp_path / "secret.wav"), "link.wav")
    lines = [f"u{at}|words|{name}|Text {at}." for at, name in enumerate(outside)] + ["ok|words|prompt-wavs/cv_en_1.wav|Text."]
    read = read_texts("\n".join(lines), folder=folder, within=tmp_path / "set")
    assert [text.id for text in read.texts] == ["ok"] and len(read.voices) == 1
    assert notes_of(read)["texts_recordings_outside"]["n"] == 4
    said_in_every_language(read)
    assert len(read_texts("\n".join(lines), folder=folder).texts) == 5, "the command's own caller may name any file"


def test_hostile_names_of_files_are_missing_files(folder):
    names = ("\0.wav", "x" * 5000 + ".wav", "prompt-wavs/.wav", "https:/example/a.wav", "prompt-wavs/cv_en_1.wav/a.wav", "con:.wav")
    lines = [f"u{at}|w|{name}|Text {at}." for at, name in enumerate(names)] + ["ok|w|prompt-wavs/cv_en_1.wav|Text."]
    read = read_texts("\n".join(lines), folder=folder)
    assert [text.id for text in read.texts] == ["ok"] and notes_of(read)["texts_recordings_missing"]["n"] == len(names)


def test_minimax_finds_the_recordings_of_its_labels_with_their_words(tmp_path):
    speaker = tmp_path / "speaker"
    for label, name in (("german_female", "cv_de_1.mp3"), ("german_male", "cv_de_2.mp3")):
        (speaker / "german" / label).mkdir(parents=True)
        (speaker / "german" / label / name).write_bytes(b"")
    (speaker / "prompt_text.txt").write_text("cv_de_1.mp3|Guten Abend.\nother.mp3|Nein.\n", "utf-8")
    (tmp_path / "text").mkdir()
    data = "german_female|Eins | zwei.\ngerman_male|Drei.\ngerman_female|Vier.\n"
    read = read_texts(data, "german.txt", folder=tmp_path / "text")
    assert read.taken_for == "minimax" and [text.voice for text in read.texts] == ["german_female", "german_male", "german_female"]
    assert [(voice.id, voice.words, voice.language, voice.person) for voice in read.voices] == [
        ("german_female", "Guten Abend.", "de", "german_female"),
        ("german_male", None, None, "german_male"),
    ]
    assert read.texts[0].text == "Eins | zwei." and {text.language for text in read.texts} == {"de"}
    alone = read_texts(data, "german.txt")
    assert not alone.voices and not alone.voice_names and notes_of(alone)["texts_unbound"] == {"n": 3}
    said_in_every_language(alone)


def test_librispeech_pc_pairs_a_sentence_with_another_of_the_same_reader(tmp_path):
    (tmp_path / "61/70968").mkdir(parents=True)
    (tmp_path / "61/70968/61-70968-0000.flac").write_bytes(b"")
    line = "61-70968-0000\t4.905\tHe began a confused complaint.\t61-70968-0003\t4.4\tGive not so earnest a mind.\n"
    read = read_texts(line, folder=tmp_path)
    assert (read.taken_for, read.texts[0].id, read.texts[0].voice) == ("librispeech_pc", "61-70968-0003", "61-70968-0000")
    assert (read.voices[0].words, read.voices[0].person) == ("He began a confused complaint.", "61") and read.texts[
        0
    ].text == "Give not so earnest a mind."


def test_a_table_may_name_prompts_with_speakers_and_recordings(folder):
    data = (
        "text,ref_audio,ref_text,speaker,lang\nOne.,prompt-wavs/cv_en_1.wav,Hello there.,Anna,en\nTwo.,prompt-wavs/cv_en_4.wav,,Anna,en\n"
    )
    read = read_texts(data, "a.csv", folder=folder)
    assert [(voice.id, voice.label, voice.person, voice.words) for voice in read.voices] == [
        ("Anna", "Anna", "Anna", "Hello there."),
        ("Anna-2", "Anna", "Anna", None),
    ]
    assert [text.voice for text in read.texts] == ["Anna", "Anna-2"] and not read.voice_names
