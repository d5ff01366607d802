"""Voxtral's codec encoder: it finds the codes that upstream's formulas find, a row of a batch and a part of a frame like any other."""

import pytest
import torch
from torch import Tensor

from engines.kit.weights.checkpoint import Checkpoint
from engines.voxtral.codec.codec_encoder import VoxtralCodecEncoder
from engines.voxtral.codec.codec_layers import CodecQuantizer
from tests.engines.voxtral.plain_codec import PlainCodec
from tests.engines.voxtral.random_codec import PREFIX, TOY_CODEC, opened_codec, write_codec

PATCH, FRAME = TOY_CODEC.pretransform_patch_size, TOY_CODEC.frame_samples


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return write_codec(tmp_path_factory.mktemp("codec") / "consolidated.safetensors")


@pytest.fixture(scope="module")
def encoder(file) -> VoxtralCodecEncoder:
    return opened_codec(VoxtralCodecEncoder, file)


def recorded(n_patches: int, batch: int = 1) -> Tensor:
    generator = torch.Generator().manual_seed(n_patches)
    return torch.randn(batch, n_patches * PATCH, generator=generator, dtype=torch.float64).cumsum(1).sin() / 3


@pytest.mark.parametrize("n_patches", [*range(1, 18), 203])
def test_codes_are_those_of_upstreams_formulas(file, encoder, n_patches):
    """From less than the first convolution mirrors, over every part of a frame, to more rows than a transformer is given at once."""
    with Checkpoint(file) as checkpoint:
        plain = PlainCodec(TOY_CODEC, {name.removeprefix(PREFIX): checkpoint.tensor(name).double() for name in checkpoint.names})
    codes = encoder.encode(recorded(n_patches))
    assert codes.dtype == torch.int64
    assert codes.shape == (1, 1 + TOY_CODEC.acoustic_dim, -(-n_patches * PATCH // FRAME))
    assert torch.equal(codes, plain.encode(recorded(n_patches)))


def test_every_book_says_something_and_no_code_is_beyond_its_book(encoder):
    codes = encoder.encode(recorded(203))
    assert all(len(book.unique()) > 5 for book in codes[0])
    assert codes.min() >= 0
    assert codes[:, 0].max() < TOY_CODEC.semantic_codebook_size
    assert codes[:, 1:].max() < TOY_CODEC.acoustic_codebook_size


def test_recordings_of_a_batch_do_not_meet(encoder):
    samples = recorded(40, batch=3)
    together = encoder.encode(samples)
    for row in range(3):
        assert torch.equal(encoder.encode(samples[row : row + 1])[0], together[row])


def test_the_nearest_entry_is_found_in_float32_and_of_equal_ones_the_first():
    quantizer = CodecQuantizer(TOY_CODEC)
    entries = torch.full((TOY_CODEC.semantic_codebook_size, TOY_CODEC.semantic_dim), 3000.0)
    entries[:, 0] += torch.arange(len(entries)).flip(0) * 2.0**-5  # near one another, and far from zero
    entries[7], entries[30] = entries[12], entries[12]
    with torch.no_grad():
        quantizer.semantic_codebook.cluster_usage.fill_(1)
        quantizer.semantic_codebook.embedding_sum.copy_(entries)
    quantizer.prepare_weights()
    rows = torch.cat([entries, torch.zeros(len(entries), TOY_CODEC.acoustic_dim)], dim=1)
    expected = list(range(len(entries)))
    expected[12] = expected[30] = 7
    codes = quantizer.encode(rows[None])
    assert codes[0, 0].tolist() == expected
    assert codes[0, 1:].eq(10).all()


@pytest.mark.parametrize("n_samples", [0, PATCH - 1, 2 * PATCH + 1])
def test_samples_that_are_no_whole_patches_are_refused(encoder, n_samples):
    with pytest.raises(ValueError, match=f"{n_samples} samples: they must be a multiple of {PATCH}"):
        encoder.encode(torch.zeros(1, n_samples, dtype=torch.float64))
