"""Texts as token ids: bytes and words as the file cuts them, what is obeyed, what is refused, and what is read letter by letter."""

import json
from pathlib import Path

import pytest

from engines.errors import CheckpointInvalid, TextUnspeakable
from engines.fish_speech.config import FishConfig, released_config
from engines.fish_speech.tokenizer import FishTokenizer
from tests.engines.fish_speech.vocabulary import control_tokens, write_tokenizer
from tests.released.release import FACTS

RELEASED = json.loads((FACTS / "fish_s2_pro/config.json").read_text())
IDS = {  # of the released tokenizer.json, as seen
    "endoftext": 151643, "im_start": 151644, "im_end": 151645, "pad": 151669, "phoneme_start": 151670, "phoneme_end": 151671,
    "text": 151672, "voice": 151673, "interleave": 151674, "audio_start": 151675, "audio_end": 151676, "audio_pad": 151677,
    "semantic:0": 151678, "semantic:4095": 155773,
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("tokenizer")
    write_tokenizer(folder, RELEASED)
    return folder


@pytest.fixture(scope="module")
def tokenizer(folder) -> FishTokenizer:
    return FishTokenizer(folder)


@pytest.fixture(scope="module")
def vocabulary(folder) -> dict[str, int]:
    return json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]


def test_control_tokens_are_found_by_name(tokenizer):
    assert {name: tokenizer.special(name) for name in IDS} == IDS
    with pytest.raises(CheckpointInvalid, match=r"no token <\|speaker:0\|>"):
        tokenizer.special("speaker:0")


def test_phonemes_are_obeyed_and_cut_the_text(tokenizer):
    start, end = IDS["phoneme_start"], IDS["phoneme_end"]
    given = tokenizer.ids("the <|phoneme_start|>t ə<|phoneme_end|> voice")
    assert given == [*tokenizer.ids("the "), start, *tokenizer.ids("t ə"), end, *tokenizer.ids(" voice")]


def test_every_other_control_token_is_refused_by_its_name(tokenizer):
    codes = [f"<|semantic:{code}|>" for code in range(1, 4095)]
    marks = [
        token for token in control_tokens(RELEASED).keys() - {*codes, "<|phoneme_start|>", "<|phoneme_end|>"} if token.startswith("<|")
    ]
    assert len(marks) == 29
    for mark in marks:
        with pytest.raises(TextUnspeakable, match="is a command to the model") as refused:
            tokenizer.ids(f"the <|<{mark}")
        assert refused.value.values["token"] == mark and refused.value.hint


def test_speakers_are_plain_text_in_either_spelling(tokenizer, vocabulary):
    expected = [vocabulary[token] for token in ["<", "|", "speaker", ":", "1", "2", "|", ">", "the"]]
    assert tokenizer.ids("<|speaker:12|>the") == tokenizer.ids("<speaker:12>the") == expected
    assert tokenizer.ids("<speaker:a>") == tokenizer.ids("<speaker:") + tokenizer.ids("a>")


def test_files_of_two_models_are_refused(folder, tokenizer, tmp_path):
    tokenizer.check_fits(released_config("S2-Pro"))
    shifted = {**RELEASED, "semantic_start_token_id": 151_679, "semantic_end_token_id": 155_774}
    write_tokenizer(tmp_path, shifted)
    with pytest.raises(CheckpointInvalid, match=r"<\|semantic:0\|> is 151679, 151678 in config.json.*<\|im_end\|> is 151646"):
        FishTokenizer(tmp_path).check_fits(FishConfig.read(FACTS / "fish_s2_pro"))
