"""Built-in voices: files of rows, read without running what a pickle can name, and refused by name where they are something else."""

import pytest
import torch

from engines.errors import CheckpointInvalid
from engines.voxtral.presets import digest_of_voices, read_presets
from engines.voxtral.text_pieces import MOST_CHARACTERS, text_pieces


class Harmful:
    def __reduce__(self):
        return print, ("run",)


def written(folder, **voices):
    (folder / "voice_embedding").mkdir(exist_ok=True)
    for name, content in voices.items():
        torch.save(content, folder / "voice_embedding" / f"{name}.pt")
    return folder


def test_voices_are_read_as_they_are_and_absent_ones_left_out(tmp_path):
    rows = torch.randn(5, 8).bfloat16()
    voices = read_presets(written(tmp_path, one=rows, stray=rows), ["one", "two"], 8, {"one": 5})
    assert list(voices) == ["one"]
    assert voices["one"].dtype == torch.bfloat16 and torch.equal(voices["one"], rows)


def test_what_was_saved_beside_the_numbers_of_a_voice_changes_nothing(tmp_path):
    rows = torch.randn(8, 5).bfloat16().T
    kinds = {"parameter": torch.nn.Parameter(rows), "transposed": rows, "part": torch.cat([rows, rows])[5:]}
    voices = read_presets(written(tmp_path, **kinds), kinds, 8, {})
    assert all(torch.equal(voice, rows) and not voice.requires_grad for voice in voices.values())
    assert len({digest_of_voices({"one": voice}) for voice in voices.values()}) == 1


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (torch.zeros(5, 7), r"one.pt is \(5, 7\)"),
        (torch.zeros(8), "wanted are 1 to 376 rows of 8"),
        (torch.zeros(377, 8), "wanted are"),
        (torch.zeros(0, 8), "wanted are"),
        (torch.zeros(5, 8, dtype=torch.int64), "int64"),
        (torch.full((5, 8), torch.inf), "not finite"),
        (torch.full((5, 8), 3e38), "not finite, or beyond 65504"),
        (torch.empty(5, 8, device="meta"), "wanted are"),
        (torch.zeros(4, 8), "has 4 rows; tekken.json says 5"),
        ({"rows": torch.zeros(5, 8)}, "holds a dict"),
        (Harmful(), "more than tensors"),
    ],
)
def test_a_file_that_is_no_voice_of_this_model_is_refused_by_name(tmp_path, content, what, capsys):
    with pytest.raises(CheckpointInvalid, match=what):
        read_presets(written(tmp_path, one=content), ["one"], 8, {"one": 5})
    assert "run" not in capsys.readouterr().out


def test_the_digest_knows_names_and_values():
    rows = torch.ones(2, 3)
    digests = {digest_of_voices(voices) for voices in ({}, {"a": rows}, {"b": rows}, {"a": rows.bfloat16()}, {"a": 2 * rows})}
    assert len(digests) == 5
    assert digest_of_voices({"a": rows, "b": rows}) == digest_of_voices({"b": rows, "a": rows})


def test_a_text_is_cut_at_its_sentences_and_nothing_is_lost():
    text = " ".join(f"This is sentence number {n}, of the usual length." for n in range(30))
    pieces = text_pieces(text)
    assert " ".join(pieces) == text
    assert all(len(piece) <= MOST_CHARACTERS and piece.endswith(".") for piece in pieces)
    assert all(len(one) + 50 > MOST_CHARACTERS for one in pieces[:-1])
    assert max(map(len, text_pieces("word " * 400))) <= MOST_CHARACTERS
    whole = [f"{'a' * (n - 1)}." for n in (150, 149, 150)]
    assert text_pieces(" ".join(whole)) == (f"{whole[0]} {whole[1]}", whole[2]), "300 characters, and no more"
    assert len(text_pieces(" ".join(whole[::2]))) == 2, "301"
    assert text_pieces(" \n ") == ()
