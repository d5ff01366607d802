"""The file of a voice that other tools made: what is read of it, and what it is refused for."""

import json
import pickle
import zipfile
from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest
import safetensors.numpy

from engines.contract.prompt import adopted_digest
from engines.contract.prompt_form import PromptForm
from studio.speakers.tensor_file import MOST_TENSOR_FILE_BYTES, TensorFileUnusable, read_tensor_file
from tests.stand_ins.fake_engine import ADOPTER, INFO

FLOATS = np.linspace(-1, 1, 24, dtype=np.float32).reshape(4, 6)
CODES = np.array([[7, 0, 1, 2, 3], [3, 0, 1, 2, 3], [3, 3, 3, 3, 0]], np.int64)
ENGINES = [INFO, ADOPTER]


def file_of(**tensors: np.ndarray) -> bytes:
    return safetensors.numpy.save(tensors)


def written(dtype: str, shape: tuple[int, ...], data: bytes, name: str = "embeddings") -> bytes:
    """A file by hand, of types that NumPy does not know."""
    header = json.dumps({name: {"dtype": dtype, "shape": shape, "data_offsets": [0, len(data)]}}).encode()
    return len(header).to_bytes(8, "little") + header + data


def refusal(data: bytes, engines=ENGINES) -> TensorFileUnusable:
    with pytest.raises(TensorFileUnusable) as refused:
        read_tensor_file(data, engines)
    return refused.value


def test_floats_of_every_width_become_float32_and_codes_int16():
    for dtype in (np.float16, np.float32, np.float64):
        tensor = read_tensor_file(file_of(embeddings=FLOATS.astype(dtype)), ENGINES)
        np.testing.assert_array_equal(tensor.read(), FLOATS.astype(dtype).astype(np.float32))
        assert (tensor.form, tensor.n_frames, tensor.read().dtype, tensor.read().flags.writeable) == ("embeddings", 4, np.float32, False)
        assert tensor.source_digest == adopted_digest("embeddings", tensor.read())
    upper_halves = (FLOATS.view(np.uint32) >> 16).astype("<u2")
    widened = read_tensor_file(written("BF16", (4, 6), upper_halves.tobytes()), ENGINES).read()
    np.testing.assert_array_equal(widened.view(np.uint32), upper_halves.astype(np.uint32) << 16)
    np.testing.assert_allclose(widened, FLOATS, rtol=2**-7)
    for dtype in (np.uint8, np.int16, np.int64, np.uint64):
        tensor = read_tensor_file(file_of(codes=CODES.astype(dtype)), ENGINES)
        np.testing.assert_array_equal(tensor.read(), CODES)
        assert (tensor.form, tensor.n_frames, tensor.read().dtype) == ("codes", 5, np.int16)


def test_a_tensor_is_known_by_its_name_or_else_by_its_shape_where_one_alone_fits():
    assert read_tensor_file(file_of(speaker=FLOATS), ENGINES).form == "embeddings"
    assert read_tensor_file(file_of(embeddings=FLOATS, other=FLOATS, notes=np.zeros(3, np.float32)), ENGINES).form == "embeddings"
    twice = refusal(file_of(one=FLOATS, other=FLOATS))
    assert (twice.values["sentence"], twice.hint) == ("tensor_ambiguous", "Keep one of them.")
    other = replace(ADOPTER, title="Other", prompt_forms=(PromptForm("latents", (None, 6), 50),))
    assert refusal(file_of(speaker=FLOATS), [ADOPTER, other]).values["sentence"] == "tensor_ambiguous"
    assert read_tensor_file(file_of(latents=FLOATS), [ADOPTER, other]).form == "latents"
    same = replace(ADOPTER, title="Same")  # two engines of one form: a voice of both
    assert read_tensor_file(file_of(speaker=FLOATS), [ADOPTER, same]).suits(same)


def test_what_fits_no_form_is_told_with_its_shape_and_type_and_with_all_forms():
    for values in (FLOATS[:, :5], np.zeros((51, 6), np.float32), np.zeros((0, 6), np.float32), np.zeros((4, 6), np.int64), FLOATS[0]):
        error = refusal(file_of(embeddings=values))
        assert error.values["sentence"] == "tensor_misfit" and "Adopter: embeddings (frames, 6); Adopter: codes (3, frames)" in error.fact
        assert " × ".join(map(str, values.shape)) in error.fact
    assert "x (F8_E4M3, 4 × 6)" in refusal(written("F8_E4M3", (4, 6), bytes(24), "x")).fact
    assert refusal(file_of()).values["held"] == "–"
    assert refusal(file_of(embeddings=FLOATS), [INFO]).values["sentence"] == "tensor_untaken_here"


def test_shapes_that_no_array_can_have_are_told_and_tell_little():
    for shape, data in (((1,) * 65, bytes(4)), ((1,) * 10_000, bytes(4)), ((0, 10**18, 10**18), b"")):
        error = refusal(written("F32", shape, data))
        assert error.values["sentence"] == "tensor_misfit" and len(error.fact) < 300
    assert "(BF16, " + "1 × " * 8 + "…)" in refusal(written("BF16", (1,) * 65, bytes(2))).fact
    assert "x (F32, 1)" in refusal(written("F32", (), bytes(4), "x")).fact


def test_names_in_a_file_can_neither_break_nor_fill_the_refusal():
    error = refusal(written("F32", (2, 3), bytes(24), "a\n\0\u202eb" + "c" * 5000))
    assert error.values["held"] == "a���b" + "c" * 35 + " (F32, 2 × 3)"
    assert len(refusal(written("F32", (2, 3), bytes(23), "c" * 5000)).fact) < 300
    held = refusal(file_of(**dict.fromkeys("edcba", FLOATS[0]))).values["held"]
    assert [part[0] for part in held.split(", ") if "(" in part] == ["a", "b", "c", "d"]


def test_forms_of_one_name_that_differ_in_their_books_are_one_voice():
    books = replace(ADOPTER, title="Books", prompt_forms=(PromptForm("codes", (3, None), 40, is_codes=True, sizes=(9, 4, 4)),))
    for engines in ([ADOPTER, books], [books, ADOPTER]):
        for first in (7, 8):
            codes = np.where(CODES == 7, first, CODES)
            assert read_tensor_file(file_of(codes=codes), engines).shape == (3, 5)
            assert read_tensor_file(file_of(anything=codes), engines).form == "codes"
        assert refusal(file_of(codes=np.where(CODES == 7, 9, CODES)), engines).values["sentence"] == "tensor_codes_beyond"


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300, -70_000.0])
def test_values_that_no_narrow_type_holds_are_refused(value):
    values = FLOATS.astype(np.float64)
    values[2, 3] = value
    assert refusal(file_of(embeddings=values)).values["sentence"] == "embedding_not_finite"


@pytest.mark.parametrize(("book", "code"), [(0, 8), (1, 4), (2, -1), (2, 70_000)])
def test_codes_that_their_book_does_not_have_are_refused(book, code):
    codes = CODES.copy()
    codes[book, 2] = code
    assert refusal(file_of(codes=codes)).values["sentence"] == "tensor_codes_beyond"


def test_pickles_are_never_opened_and_told_how_they_are_converted(tmp_path):
    class Harm:
        def __reduce__(self):
            return (tmp_path.joinpath("harm").touch, ())

    archive = BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("voice/data.pkl", pickle.dumps(Harm()))
    for data in (archive.getvalue(), pickle.dumps(Harm()), pickle.dumps(Harm(), protocol=5)):
        error = refusal(data)
        assert error.values["sentence"] == "tensor_file_pickled"
        assert 's.save_file({"embeddings": torch.load("voice.pt", weights_only=True)' in error.hint
    assert not (tmp_path / "harm").exists()


def test_a_damaged_file_and_one_that_is_too_large_are_refused():
    whole = file_of(embeddings=FLOATS)
    for data in (b"", b"RIFF", whole[:-1], whole + b"x", b"\xff" * 64, whole.replace(b'"F32"', b'"F99"')):
        assert refusal(data).values["sentence"] == "tensor_file_damaged"
    assert refusal(bytes(MOST_TENSOR_FILE_BYTES + 1)).values == {
        "sentence": "tensor_file_too_large", "most_bytes": MOST_TENSOR_FILE_BYTES
    }  # fmt: skip
