"""Texts: cut without losing a word, languages told by script, markup spoken and not obeyed."""

import re
from dataclasses import replace

import numpy as np
import pytest

from engines.errors import LanguageUnsupported, TextUnspeakable
from engines.espeak.prior.espeak_frames import EspeakFrames, PacedFrames
from engines.espeak.prior.hidden_stream import LOOK_AHEAD_FRAMES
from engines.kit.phonemes import espeak_library
from engines.kit.phonemes.languages import CODES, language_of
from engines.kit.signal.spectrum import FRAMES_PER_SECOND, HOP_SAMPLES, SAMPLE_RATE
from engines.text.spoken_pieces import FIRST_BLOCK_CHARACTERS, LONG_CHARACTERS, pieces, speakable
from engines.text.text_splitter import split_text


def cut(text: str) -> list[str]:
    return [piece for piece, _ in pieces(speakable(text))]


def test_a_text_is_cut_at_its_sentences_also_where_blocks_of_reading_meet():
    """What a sentence is, tests/engines/text/test_text_splitter.py says."""
    text = "Am 3. Mai kommt Sra. Lopez, z. B. mit Dr. Meier... oder ohne. Ja! " * 40
    assert cut(text) == list(split_text(text, "sentence"))
    assert len(cut(text)) == 80


def test_what_holds_no_word_goes_with_what_follows_or_is_dropped():
    assert cut("... - !!! Hello. ???") == ["... - !!! Hello."]


def test_a_long_text_is_read_no_further_than_its_first_sentence_needs():
    read = []

    class Text(str):
        def __getitem__(self, part):
            read.append(part)
            return super().__getitem__(part)

    next(pieces(Text("One sentence. And more of it. " * 1000)))
    assert read == [slice(0, FIRST_BLOCK_CHARACTERS)]


@pytest.mark.parametrize("text", ["word " * 3000, "clause of five little words, " * 500, "x" * 5000, "字" * 5000, "a;b" * 2000])
def test_a_long_sentence_is_cut_into_short_pieces_and_nothing_is_lost(text):
    parts = cut(text)
    assert max(map(len, parts)) <= 4 * LONG_CHARACTERS
    assert re.sub(r"\s", "", "".join(parts)) == re.sub(r"\s", "", text)


def test_no_word_of_a_long_text_is_dropped(texts):
    """eSpeak reports as many words for the pieces as for the whole (it counts some pairs, such as "of the", once)."""
    text = " ".join(texts("en") * 2)
    whole = len(espeak_library.speak(text, "en-us").words)
    assert sum(len(espeak_library.speak(piece, "en-us").words) for piece in cut(text)) == whole
    assert whole > 0.95 * len(text.split())


@pytest.mark.parametrize("text", ["", "   \n", "...!?", "—", "\x01\x02"])
def test_a_text_with_nothing_to_say_is_refused(text):
    with pytest.raises(TextUnspeakable):
        speakable(text)


@pytest.mark.parametrize("text", ["Hello [[h@'l@U]] there.", "Hello <break time='9s'/> there.", "<speak>Hello</speak> there."])
def test_markup_is_spoken_and_not_obeyed(text):
    words = [text[position - 1 : position - 1 + length] for _, position, length in espeak_library.speak(text, "en-us").words]
    assert any(word in ("h", "break", "speak") for word in words)


def test_an_embedded_command_does_not_reach_espeak():
    plain, command = espeak_library.speak("Hello there.", "en-us"), espeak_library.speak(speakable("Hello \x0199P\x01+50Sthere."), "en-us")
    assert "\x01" not in speakable("a\x01b")
    assert [name for _, name in command.phones] != [name for _, name in plain.phones]  # "99P" was read out instead


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Hello", "en"),
        ("42", "en"),
        ("今天天气", "zh"),
        ("きょうは天気", "ja"),
        ("안녕하세요", "ko"),
        ("Привет", "ru"),
        ("Привіт, як справи? Її", "uk"),
        ("Καλημέρα", "el"),
        ("मौसम", "hi"),
        ("مرحبا", "ar"),
    ],
)
def test_the_script_tells_the_language(text, code):
    assert language_of(text, None).code == code


def test_a_stated_language_wins_and_an_unknown_one_is_refused():
    assert language_of("Hello", "de").voice == "de"
    assert language_of("你好", "zh-CN").code == "zh"
    with pytest.raises(LanguageUnsupported):
        language_of("Hello", "tlh")


def test_espeak_says_the_same_whatever_it_said_before():
    text = "The fish was fresh, wasn't it?"
    first = espeak_library.speak(text, "en-us")
    espeak_library.speak("Etwas ganz anderes, zum Beispiel Zischen.", "de", most_samples=9000)
    for code in CODES:  # their voices have tempos of their own
        espeak_library.speak("7", language_of("", code).voice)
    again = espeak_library.speak(text, "en-us")
    assert first.samples.tobytes() == again.samples.tobytes()
    assert first.phones == again.phones


def test_phones_lie_where_they_sound():
    """Events and samples are at one rate: the word that follows a long pause begins with it over."""
    speech = espeak_library.speak("One. Two.", "en-us")
    start = next(sample for sample, position, _ in speech.words if position == 6)
    pause = speech.samples[start - SAMPLE_RATE // 10 : start]
    assert np.abs(pause).max() < 0.01 < np.abs(speech.samples[start : start + SAMPLE_RATE // 10]).max()


def test_a_speech_cut_short_is_the_beginning_of_the_whole():
    text = "She sells sea shells by the sea shore, and the shells she sells are sea shells."
    whole = espeak_library.speak(text, "en-us")
    assert whole.complete
    for most_samples in (12_000, 14_400, 17_000, 21_000, 33_000):
        stream_start = espeak_library.speak(text, "en-us", most_samples=most_samples)
        assert not stream_start.complete
        assert most_samples <= len(stream_start.samples) < len(whole.samples)
        assert whole.samples[: len(stream_start.samples)].tobytes() == stream_start.samples.tobytes()
        assert whole.phones[: len(stream_start.phones)] == stream_start.phones


def test_a_frame_that_a_speech_cut_short_is_certain_of_is_that_of_the_whole():
    """To the bit: pitch, cepstra."""
    text = "She sells sea shells by the sea shore, and the shells she sells are sea shells."
    speech = espeak_library.speak(text, "en-us")
    n_analyzed = []
    for most_samples in (16_000, 23_000, 31_000):
        cut = EspeakFrames(espeak_library.speak(text, "en-us", most_samples=most_samples))
        whole = EspeakFrames(speech)
        for source in (cut, whole):
            source.analyze(cut.n_frames)
        certain = slice(0, cut.n_frames)
        assert np.array_equal(cut.f0[certain], whole.f0[certain])
        assert np.array_equal(cut.cepstra, whole.cepstra[certain])
        n_analyzed.append(cut.n_frames)
    assert 0.2 * FRAMES_PER_SECOND < n_analyzed[0] < n_analyzed[1] < n_analyzed[2] < whole.n_frames


def test_the_pitch_of_a_frame_does_not_depend_on_how_many_segments_are_asked_for_at_once():
    speech = espeak_library.speak("She sells sea shells by the sea shore, and the shells she sells are sea shells.", "en-us")
    at_once = EspeakFrames(speech)
    at_once.track(at_once.n_frames)
    assert (at_once.f0 > 0).sum() > 100
    for step in (1, 20, 70):
        bit_by_bit = EspeakFrames(speech)
        for n_frames in range(step, bit_by_bit.n_frames + step, step):
            bit_by_bit.track(n_frames)
        np.testing.assert_array_equal(bit_by_bit.f0, at_once.f0)


@pytest.mark.parametrize("code", ["en", "fr", "zh"])
def test_what_a_speech_cut_short_is_certain_of_has_the_pace_and_melody_of_the_whole(engine, code):
    """To the bit: times, phones, pitch, hidden features but for those that look ahead."""
    text = {"zh": "今天天气很好，我们去公园散步吧，然后一起吃晚饭。"}.get(
        code, "She sells sea shells by the sea shore, and the shells she sells are shells."
    )
    language = language_of(text, code)
    whole = PacedFrames.of(espeak_library.speak(text, language.voice), engine._prior, language)
    cut = PacedFrames.of(espeak_library.speak(text, language.voice, most_samples=36_000), engine._prior, language)
    n_frames = cut.n_frames
    assert LOOK_AHEAD_FRAMES < n_frames < whole.n_frames
    assert np.array_equal(cut.at, whole.at[:n_frames])
    assert np.array_equal(cut.phones.numbers, whole.phones.numbers[:n_frames])
    assert np.array_equal(cut.phones.position, whole.phones.position[:n_frames])
    assert np.array_equal(cut.melody(0, n_frames), whole.melody(0, n_frames))
    certain = n_frames - LOOK_AHEAD_FRAMES
    assert np.array_equal(cut.hidden(n_frames)[:certain], whole.hidden(n_frames)[:certain])


def test_a_speech_without_a_pace_keeps_every_frame_of_espeaks(engine):
    """Whatever rounding makes of its phones, here of a speech that ends where a frame begins."""
    language = language_of("", "fr")
    spoken = espeak_library.speak("Anna can go.", language.voice)
    spoken = replace(spoken, samples=spoken.samples[: len(spoken.samples) // HOP_SAMPLES * HOP_SAMPLES])
    names = [name for _, name in spoken.phones]
    for seed in range(50):
        starts = np.sort(np.random.default_rng(seed).choice(len(spoken.samples), len(names), replace=False))
        moved = replace(spoken, phones=tuple(zip(starts.tolist(), names, strict=True)))
        assert PacedFrames.of(moved, engine._prior, language).n_frames == EspeakFrames(moved).n_frames, seed


def test_english_phones_are_paced_and_others_keep_espeaks_lengths(engine):
    for code, is_paced in (("en", True), ("en-gb", True), ("fr", False), ("zh", False)):
        language = language_of("", code)
        source = PacedFrames.of(espeak_library.speak("Anna can go.", language.voice), engine._prior, language)
        assert np.allclose(np.diff(source.at[:-2]), 1) != is_paced, code
