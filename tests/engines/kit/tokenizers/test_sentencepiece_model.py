"""SentencePiece models: the ids that sentencepiece gives, and files that are damaged or of another kind."""

import json
import struct
from pathlib import Path

import pytest

from engines.errors import CheckpointInvalid
from engines.kit.tokenizers.character_map import CharacterMap
from engines.kit.tokenizers.sentencepiece_model import SentencePieceModel
from engines.kit.weights.protobuf import message_fields
from tests.engines.pocket_tts.vocabulary import SPACE, field, pieces, write_model

# Of tests/parity/pocket_tts/sentencepiece_golden.py, by sentencepiece itself.
MODEL, IDS = (Path(__file__).with_name(f"sentencepiece.{ending}") for ending in ("model", "json"))
NAMED = {text: index for index, (text, _, _) in enumerate(pieces())}


def written(folder: Path, *, trainer: tuple[bytes, ...] = (), normalizer: tuple[bytes, ...] = (), listed=None) -> SentencePieceModel:
    return SentencePieceModel(write_model(folder / "made.model", listed or pieces(), trainer, normalizer))


def texts(model: SentencePieceModel, text: str) -> list[str]:
    return [pieces()[index][0] for index in model.ids(text)]


def test_ids_are_those_that_sentencepiece_gives():
    """Characters replaced, blanks made one, pieces that a user defined, bytes of what is unknown, control pieces read as letters."""
    model, golden = SentencePieceModel(MODEL), json.loads(IDS.read_text())["ids"]
    assert model.n_ids == 460
    assert [[text, model.ids(text)] for text, _ in golden] == golden


def test_blanks_are_kept_where_the_file_says_so(tmp_path):
    assert texts(written(tmp_path), " the  end ") == [f"{SPACE}the", f"{SPACE}end"]
    assert texts(written(tmp_path, normalizer=(field(3, 0),)), "the end") == ["t", "h", "e", f"{SPACE}end"]
    kept = written(tmp_path, normalizer=(field(4, 0),))
    assert texts(kept, "  the  end ") == [SPACE, SPACE, f"{SPACE}the", SPACE, f"{SPACE}end", SPACE]
    assert kept.ids("") == []
    blank = [(text.replace(SPACE, " "), score, kind) for text, score, kind in pieces()]
    bare = written(tmp_path, normalizer=(field(5, 0),), listed=blank)
    assert bare.ids("the end") == [NAMED[f"{SPACE}the"], NAMED[f"{SPACE}end"]]


def test_what_no_piece_has_is_bytes_or_unknown(tmp_path):
    assert texts(written(tmp_path), "a漢") == [SPACE, "a", "<0xE6>", "<0xBC>", "<0xA2>"]
    assert texts(written(tmp_path, trainer=(field(35, 0),)), "漢字a") == [SPACE, "<unk>", "a"]


@pytest.mark.parametrize("text", ["<s>", "</s>", "<unk>", "<0x41>"])
def test_a_text_that_spells_a_control_piece_is_read_by_letters(tmp_path, text):
    assert len(written(tmp_path).ids(text)) > len(text)


@pytest.mark.parametrize(
    ("trainer", "fact"), [(field(3, 2), "model_type is bpe"), (field(3, 4), "is char"), (field(24, 1), "treat_whitespace_as_suffix")]
)
def test_another_kind_is_refused_by_name(tmp_path, trainer, fact):
    with pytest.raises(CheckpointInvalid, match=fact):
        written(tmp_path, trainer=(trainer,))


@pytest.mark.parametrize(
    "listed",
    [
        pieces()[1:],  # none for what is unknown
        [*pieces(), ("<unk>2", 0.0, 2)],
        [*pieces(), pieces()[-1]],
        pieces()[:200],  # of bytes and letters some are missing
        [*pieces(), ("", -3.0, 1)],
        [*pieces(), ("x2", float("nan"), 1)],
        [*pieces(), ("x2", -3.0, 9)],
    ],
)
def test_pieces_that_do_not_make_a_model_are_refused(tmp_path, listed):
    with pytest.raises(CheckpointInvalid, match=r"made\.model"):
        written(tmp_path, listed=listed)


def test_a_file_that_is_cut_off_or_damaged_is_refused_or_read_and_never_more(tmp_path):
    content = MODEL.read_bytes()
    for size in (0, 1, 7, 1000, len(content) - 1):
        (tmp_path / "cut.model").write_bytes(content[:size])
        with pytest.raises(CheckpointInvalid, match=r"cut\.model"):
            SentencePieceModel(tmp_path / "cut.model")
    for at in range(0, len(content), 97):
        (tmp_path / "cut.model").write_bytes(content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :])
        try:
            model = SentencePieceModel(tmp_path / "cut.model")
            assert all(0 <= index < model.n_ids for index in model.ids("cafe\u0301 \u3000½ voice."))
        except CheckpointInvalid:
            continue
    with pytest.raises(CheckpointInvalid, match="none"):
        SentencePieceModel(tmp_path / "none.model")


@pytest.mark.parametrize("message", [b"\x08", b"\x0a\x05ab", b"\x0b", b"\x08" + b"\xff" * 11, b"\x15ab"])
def test_a_message_that_does_not_end_is_refused(message):
    with pytest.raises(ValueError, match=r"field|number"):
        list(message_fields(message))


@pytest.mark.parametrize("units", [[0x7FFFFC00], [1 << 10, (1 << 31) - 1]])
def test_a_map_that_leads_outside_of_itself_is_refused(units):
    content = struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + b"a\0"
    with pytest.raises(ValueError, match="damaged"):
        list(CharacterMap(content).parts("a\x00"))
    with pytest.raises(ValueError, match="cut off"):
        CharacterMap(content[:6])
