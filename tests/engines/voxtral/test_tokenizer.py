"""Texts as token ids: the ids that mistral-common gives, control tokens that no text can spell, and files that cannot be used."""

import base64
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engines.errors import CheckpointInvalid
from engines.voxtral.config import released_config
from engines.voxtral.tokenizer import VoxtralTokenizer
from tests.engines.voxtral.vocabulary import CONTROL_TOKENS, GOLDEN_TOKENIZER, write_tokenizer

GOLDEN = json.loads((Path(__file__).parents[2] / "parity/voxtral/golden/tokenizer.json").read_text())
N_WORDS = GOLDEN_TOKENIZER["config"]["vocab_size"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("tokenizer")
    write_tokenizer(folder, voices={"casual_male": 3, "ar_male": 67}, **GOLDEN_TOKENIZER)
    return folder


@pytest.fixture(scope="module")
def tokenizer(folder) -> VoxtralTokenizer:
    return VoxtralTokenizer(folder)


def test_ids_are_those_of_mistral_common(tokenizer):
    """In many scripts; where entries overlap; where a text spells out a control token, or an entry that is listed and not used."""
    assert {line: tokenizer.ids(line) for line, _ in GOLDEN["ids"]} == dict(GOLDEN["ids"])


def test_a_prompt_of_these_ids_is_that_of_mistral_common(tokenizer):
    prompt = GOLDEN["prompt"]
    ours = [tokenizer.bos, tokenizer.begin_audio, *[tokenizer.audio] * prompt["n_rows"], tokenizer.text_to_audio]
    assert [*ours, *tokenizer.ids(prompt["text"]), tokenizer.audio_to_text, tokenizer.begin_audio] == prompt["ids"]


def test_control_tokens_are_found_by_name_and_obeyed_in_no_text(tokenizer, folder):
    n_control = json.loads((folder / "tekken.json").read_text())["config"]["default_num_special_tokens"]
    for name, token in CONTROL_TOKENS.items():
        assert tokenizer.special(name) == token
        assert min(ids := tokenizer.ids(f"the{name}")) >= n_control and len(ids) > 2
    with pytest.raises(CheckpointInvalid, match=r"no control token \[THINK\]"):
        tokenizer.special("[THINK]")


def test_entries_behind_those_that_are_used_are_not_looked_at(tokenizer, folder, tmp_path):
    with_less = VoxtralTokenizer(changed(folder, tmp_path, lambda c: c["vocab"].pop()))
    damaged = VoxtralTokenizer(changed(folder, tmp_path, lambda c: c["vocab"][-1].update(token_bytes="?")))
    assert with_less.ids("keptipt two") == damaged.ids("keptipt two") == tokenizer.ids("keptipt two")


def test_half_a_character_and_a_text_without_words_have_ids_too(tokenizer):
    assert tokenizer.ids("\ud800a") == tokenizer.ids("\ufffda")  # as mistral-common
    assert len(tokenizer.ids("\u200d" * 20_000)) == 60_000


def test_rows_of_voices_are_those_of_the_file_and_none_where_it_says_nothing(tokenizer, folder, tmp_path):
    assert dict(tokenizer.n_voice_rows) == {"casual_male": 3, "ar_male": 67}
    for edit in (top(audio=None), lambda c: c.pop("audio"), lambda c: c["audio"].pop("voice_num_audio_tokens"), voices(None)):
        assert VoxtralTokenizer(changed(folder, tmp_path, edit)).n_voice_rows == {}


def test_the_vocabulary_fits_the_configuration_that_it_was_made_with(tokenizer):
    config = replace(released_config("4B"), vocab_size=N_WORDS)
    tokenizer.check_fits(config)
    audio = replace(config.audio_model, audio_token_id=25, begin_audio_token_id=24)
    other = replace(config, vocab_size=N_WORDS + 1, multimodal=replace(config.multimodal, audio_model_args=audio, bos_token_id=2))
    said = rf"size is {N_WORDS}, {N_WORDS + 1} in .*<s> is 1, 2 in .*\[AUDIO\] is 24, 25 in .*\[BEGIN_AUDIO\] is 25, 24 in params"
    with pytest.raises(CheckpointInvalid, match=said):
        tokenizer.check_fits(other)


def top(**values: object) -> Callable[[dict], object]:
    return lambda content: content.update(values)


def config(**values: object) -> Callable[[dict], object]:
    return lambda content: content["config"].update(values)


def entry(place: int, /, **values: object) -> Callable[[dict], object]:
    return lambda content: content["vocab"][place].update(values)


def control(place: int, /, **values: object) -> Callable[[dict], object]:
    return lambda content: content["special_tokens"][place].update(values)


def voices(rows: object) -> Callable[[dict], object]:
    return lambda content: content["audio"].update(voice_num_audio_tokens=rows)


def changed(folder: Path, other: Path, edit: Callable[[dict], object]) -> Path:
    content = json.loads((folder / "tekken.json").read_text())
    edit(content)
    (other / "tekken.json").write_text(json.dumps(content))
    return other


def spelled(token: bytes) -> str:
    return base64.b64encode(token).decode()


DAMAGED = [
    (lambda c: c.pop("config"), "config of the checkpoint lacks pattern, default_vocab_size, default_num_special_tokens"),
    (top(config=None), "config is null; an object"),
    (config(pattern=None), "pattern is null; a text"),
    (config(pattern="(a"), r"its pattern cuts no text: .*parenthesis"),
    (config(default_vocab_size="420"), "default_vocab_size is \"420\"; a whole number above zero"),
    (config(default_num_special_tokens=N_WORDS), "entries, of which 0 are used; any text needs the first 256"),
    (config(default_num_special_tokens=3), r"the vocabulary has \d+ entries, of which 417 are used"),
    (lambda c: c.pop("vocab"), "vocab is null; a list"),
    (top(vocab={}), r"vocab is \{\}; a list"),
    (lambda c: c["vocab"].pop(100), "entry 100 of the vocabulary has rank 101; ranks are counted from 0"),
    (lambda c: c["vocab"].insert(5, None), "entry 5 of the vocabulary cannot be read: TypeError"),
    (lambda c: c["vocab"][5].pop("token_bytes"), "entry 5 of the vocabulary cannot be read: KeyError.*token_bytes"),
    (entry(300, token_bytes="AA?EC"), "entry 300 of the vocabulary cannot be read: Error"),
    (entry(300, token_bytes=7), "entry 300 of the vocabulary cannot be read: TypeError"),
    (entry(300, token_bytes=""), "entry 300 of the vocabulary is empty"),
    (entry(300, token_bytes=spelled(b"a")), "entry 300 of the vocabulary is b'a', which stands there before"),
    (entry(97, token_bytes=spelled(b"ab")), "entry 97 of the vocabulary is b'ab'; the first 256 are the single bytes"),
    (entry(300, rank="300"), "entry 300 of the vocabulary has rank '300'"),
    (lambda c: c.pop("special_tokens"), "special_tokens is null; a list"),
    (lambda c: c["special_tokens"].append("<s>"), "'<s>' names no token of its own"),
    (control(3, rank=20_000), "'rank': 20000, .* names no token of its own below"),
    (control(3, token_str="<s>"), "'<s>', .* names no token of its own"),
    (control(3, rank=1), "two of special_tokens have one rank"),
    (control(24, token_str="[SOUND]"), r"no control token \[AUDIO\]"),
    (control(36, token_str="[SOUND]"), r"no control token \[NEXT_AUDIO_TEXT\]"),
    (top(audio=[]), r"audio is \[\]; an object"),
    (voices(["casual_male"]), "voice_num_audio_tokens is .*; an object of whole numbers above zero"),
    (voices({"casual_male": 0}), "voice_num_audio_tokens is"),
    (voices({"casual_male": True}), "voice_num_audio_tokens is"),
]  # fmt: skip


def test_a_damaged_file_is_refused_by_what_is_wrong_with_it(folder, tmp_path):
    for edit, named in DAMAGED:
        changed(folder, tmp_path, edit)
        with pytest.raises(CheckpointInvalid, match=named) as refused:
            VoxtralTokenizer(tmp_path)
        assert "tekken.json of the checkpoint" in refused.value.fact or "tekken.json: " in refused.value.fact, named
        assert refused.value.hint


@pytest.mark.parametrize("content", [None, b"", b"{", b"[]", b"\xff", b'{"vocab": '])
def test_a_file_that_is_missing_or_no_object_is_refused(folder, tmp_path, content):
    if content is not None:
        (tmp_path / "tekken.json").write_bytes(content)
    with pytest.raises(CheckpointInvalid, match=r"tekken\.json of the checkpoint (cannot be read|holds no object)"):
        VoxtralTokenizer(tmp_path)
    shutil.copyfile(folder / "tekken.json", tmp_path / "tekken.json")
    VoxtralTokenizer(tmp_path)
