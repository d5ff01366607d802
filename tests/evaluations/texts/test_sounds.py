"""Sounds of another system beside their texts: names and lists that are understood, and what is told of the others."""

import pytest

from studio.errors import EvaluationSoundsUnusable
from studio.evaluations.plan.plan import EvaluationText, EvaluationVoice
from studio.evaluations.texts.sounds import read_files
from studio.words.sentences import LANGUAGES, sentences_in
from tests.evaluations.texts.test_voices import put

TEXTS = tuple(EvaluationText(id=f"en-{n:02d}", text=f"Text {n}.") for n in (1, 2, 3))
VOICES = (EvaluationVoice(id="anna", label="Anna M."), EvaluationVoice(id="v_2", label="Ben"))


def found(read, folder) -> dict:
    return {path.relative_to(folder).as_posix(): tuple(key) for key, path in read.sounds.items()}


def test_a_system_without_voices_is_found_by_the_ids_of_texts(tmp_path):
    put(tmp_path, "en-01.wav", "wavs/EN-02.mp3", "en-03_seed2.flac", "en-03_1.flac", "readme.txt", "intro.wav")
    read = read_files(tmp_path, "Other", TEXTS, ())
    assert found(read, tmp_path) == {
        "en-01.wav": ("", "en-01", 0),
        "wavs/EN-02.mp3": ("", "en-02", 0),
        "en-03_seed2.flac": ("", "en-03", 2),
        "en-03_1.flac": ("", "en-03", 1),
    }
    assert read.unmatched == ("intro.wav",) and not read.lacking and not read.voices
    assert dict(read.notes) == {"texts_sounds_unmatched": {"n": 1, "files": "intro.wav"}}


def test_voices_are_told_by_folders_and_by_names_with_seeds(tmp_path):
    put(
        tmp_path,
        "anna/en-01.wav",
        "Ben/en-01_3.wav",
        "v_2_en-02.wav",
        "Anna M.-en-02-s4.wav",
        "seed_7/anna/en-03.wav",
        "en-03.wav",
        "who/en-02.wav",
    )
    read = read_files(tmp_path, "Other", TEXTS, VOICES)
    assert found(read, tmp_path) == {
        "anna/en-01.wav": ("anna", "en-01", 0),
        "Ben/en-01_3.wav": ("v_2", "en-01", 3),
        "v_2_en-02.wav": ("v_2", "en-02", 0),
        "Anna M.-en-02-s4.wav": ("anna", "en-02", 4),
        "seed_7/anna/en-03.wav": ("anna", "en-03", 7),
    }
    assert dict(read.notes)["texts_sounds_voiceless"] == {"n": 2, "files": "en-03.wav, who/en-02.wav"}
    for language in LANGUAGES:
        for key, values in read.notes:
            assert "{" not in sentences_in(language).words(f"evaluations.{key}", values)


def test_a_text_that_one_voice_says_needs_no_name_of_it_and_the_only_voice_says_all(tmp_path):
    put(tmp_path, "u1.wav", "u2.wav", "en-01.wav")
    bound = (EvaluationText(id="u1", text="One.", voice="anna"), EvaluationText(id="u2", text="Two.", voice="v_2"))
    assert set(found(read_files(tmp_path, "x", bound, VOICES), tmp_path).values()) == {("anna", "u1", 0), ("v_2", "u2", 0)}
    assert set(read_files(tmp_path, "x", TEXTS, VOICES[:1]).sounds) == {("anna", "en-01", 0)}


def test_folders_name_the_voices_of_a_system_that_nobody_gave_any(tmp_path):
    put(tmp_path, "Jörg/en-01.wav", "mia/en-01.wav", "mia/en-02.wav")
    read = read_files(tmp_path, "x", TEXTS, ())
    assert (
        sorted(read.voices.values()) == ["Jörg", "mia"] and len(read.sounds) == 3 and {key.voice for key in read.sounds} == set(read.voices)
    )
    assert read.lacking == ("en-03",) and dict(read.notes)["texts_sounds_lacking"] == {"n": 1, "files": "en-03"}


def test_its_own_list_says_texts_voices_and_seeds(tmp_path):
    put(tmp_path, "a.wav", "b.wav", "c.wav", "extra.wav")
    (tmp_path / "list.csv").write_text(
        "file,text,voice,language,seed\na.wav,One.,Anna,en,0\nb,One.,Anna,en,1\nc.wav,Two.,Bo,en,\nd.wav,Three.,Bo,en,\n", "utf-8"
    )
    read = read_files(tmp_path, "x", (), ())
    assert [(text.id, text.text, text.language) for text in read.texts] == [("a", "One.", "en"), ("c", "Two.", "en"), ("d", "Three.", "en")]
    assert found(read, tmp_path) == {"a.wav": ("Anna", "a", 0), "b.wav": ("Anna", "a", 1), "c.wav": ("Bo", "c", 0)}
    assert read.voices == {"Anna": "Anna", "Bo": "Bo"} and read.unmatched == ("extra.wav",)
    assert dict(read.notes)["texts_sounds_absent"] == {"n": 1, "files": "d.wav"}
    texts = (EvaluationText(id="t1", text="One."), EvaluationText(id="t2", text="Two."))
    by_words = read_files(tmp_path, "x", texts, (EvaluationVoice(id="p1", label="anna"), EvaluationVoice(id="p2", label="Bo")))
    assert set(by_words.sounds) == {("p1", "t1", 0), ("p1", "t1", 1), ("p2", "t2", 0)}, "by their words, where a list has other names"


def test_a_list_of_seed_tts_eval_beside_its_sounds_is_a_list_of_texts(tmp_path):
    put(tmp_path, "u1.wav", "u2.wav")
    (tmp_path / "meta.lst").write_text("u1|words|prompt-wavs/p.wav|One.\nu2|words|prompt-wavs/p.wav|Two.\n", "utf-8")
    read = read_files(tmp_path, "x", (), ())
    assert [text.text for text in read.texts] == ["One.", "Two."] and set(read.sounds) == {("", "u1", 0), ("", "u2", 0)}


def test_two_ways_to_read_a_name_are_no_way(tmp_path):
    put(tmp_path, "a_b_c.wav", "a/x.wav")
    texts = (EvaluationText(id="b_c", text="One."), EvaluationText(id="c", text="Two."), EvaluationText(id="x", text="Three."))
    voices = (EvaluationVoice(id="a", label="a"), EvaluationVoice(id="a_b", label="a_b"))
    read = read_files(tmp_path, "x", texts, voices)
    assert set(read.sounds) == {("a", "x", 0)} and read.unmatched == ("a_b_c.wav",)


def test_nothing_found_names_what_there_is_and_what_there_should_be(tmp_path):
    sentences = ["evaluation_sounds_no_folder", "evaluation_sounds_none", "evaluation_sounds_without_texts", "evaluation_sounds_unmatched"]
    steps = ((tmp_path / "gone", (), TEXTS), (tmp_path, (), TEXTS), (tmp_path, ("q.wav",), ()), (tmp_path, (), TEXTS))
    for sentence, (folder, names, texts) in zip(sentences, steps, strict=True):
        put(tmp_path, *names)
        with pytest.raises(EvaluationSoundsUnusable) as told:
            read_files(folder, "x", texts, VOICES)
        assert told.value.values["sentence"] == sentence
    assert told.value.values == {"sentence": "evaluation_sounds_unmatched", "files": "q.wav", "name": "anna/en-01.wav"}
