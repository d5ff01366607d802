"""codec.pth: every layout that the official loader takes, nothing missing or left over, sizes read from shapes or refused by name."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from engines.errors import CheckpointInvalid
from engines.fish_speech.codec.codec_config import RELEASED, FishCodecConfig
from engines.fish_speech.codec.codec_decoder import FishCodecDecoder
from engines.fish_speech.codec.codec_encoder import FishCodecEncoder
from engines.fish_speech.codec.codec_file import open_codec
from engines.kit.weights.checkpoint import Checkpoint, without_memory
from tests.engines.fish_speech.random_codec import STRAY, TINY, codec_tensors, write_codec
from tests.released.tensor_table import read_table

RELEASE = Path(__file__).parents[2] / "released" / "fish_s2_pro" / "codec.tensors"
SHORT = replace(TINY, pre_module=replace(TINY.pre_module, n_layer=1), n_residual_codebooks=2)


@pytest.fixture(scope="module")
def tensors(tmp_path_factory) -> dict[str, torch.Tensor]:
    return torch.load(write_codec(tmp_path_factory.mktemp("codec"), SHORT), weights_only=True)


class Shapes(Checkpoint):
    """Folded names and shapes of a codec, without a file."""

    def __init__(self, shapes: dict[str, tuple[int, ...]]):
        names = {name: name.replace("parametrizations.weight.original1", "weight") for name in shapes}
        self.shapes = {names[name]: shape for name, shape in shapes.items()}

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self.shapes)

    def shape(self, name: str) -> tuple[int, ...]:
        if name not in self.shapes:
            raise CheckpointInvalid(f"The checkpoint has no tensor {name}.", "")
        return self.shapes[name]


def loaded(folder: Path, device: str = "meta") -> tuple[FishCodecEncoder, FishCodecDecoder]:
    """On "meta" all is compared, and nothing read."""
    with open_codec(folder) as file:
        networks = [without_memory(lambda kind=kind: kind(FishCodecConfig.of(file))) for kind in (FishCodecEncoder, FishCodecDecoder)]
        for network in networks:
            file.load_into(network, packs=network.packs, ignore=network.UNUSED, device=device)
        file.check_all_used()
    return tuple(networks)


def test_shapes_tell_the_sizes_of_the_release():
    assert FishCodecConfig.of(Shapes({name: shape for name, (shape, _) in read_table(RELEASE).items()})) == RELEASED
    assert (RELEASED.frame_samples, RELEASED.sample_rate) == (2048, 44_100)
    assert RELEASED.codebook_sizes == (4096, *[1024] * 9)


@pytest.mark.parametrize(
    "config", [TINY, SHORT, replace(TINY, encoder_transformer=None, downsample_factor=(3, 2), decoder_rates=(16, 4, 8), codebook_dim=6)]
)
def test_shapes_tell_any_sizes(config):
    assert FishCodecConfig.of(Shapes(codec_tensors(config))) == config


@pytest.mark.parametrize(
    ("prefix", "levels"), [("", ()), ("generator.", ("state_dict",)), ("", ("state_dict", "generator")), ("", ("generator",))]
)
def test_every_layout_of_the_file_is_the_same_codec(tensors, tmp_path, prefix, levels):
    content = {prefix + name: tensor for name, tensor in tensors.items()}
    for level in reversed(levels):
        content = {level: content, "step": 3}
    torch.save(content, tmp_path / "codec.pth")
    with open_codec(tmp_path) as file:
        assert len(tensors) == len(file.names) + 6 + sum(name.endswith(("original0", "weight_g")) for name in tensors)
        assert not any(name.endswith(("freqs_cis", "causal_mask", "original0", "weight_g")) for name in file.names)
        direction = tensors["decoder.model.1.block.1.conv.parametrizations.weight.original1"]
        gain = tensors["decoder.model.1.block.1.conv.parametrizations.weight.original0"]
        folded = direction * gain / direction.norm(dim=(1, 2), keepdim=True)
        assert torch.allclose(file.tensor("decoder.model.1.block.1.conv.weight"), folded)
    assert loaded(tmp_path)


def test_a_codec_computes_in_float32_whatever_its_file_holds(tensors, tmp_path):
    halved = {name: tensor.bfloat16() if tensor.dtype == torch.float32 else tensor for name, tensor in tensors.items()}
    torch.save(halved, tmp_path / "codec.pth")
    encoder, decoder = loaded(tmp_path, "cpu")
    for network in (encoder, decoder):
        network.prepare_weights()
        assert {tensor.dtype for tensor in network.buffers() if tensor.is_floating_point()} == {torch.float32}
    codes = encoder.encode(torch.linspace(0, 60, 2 * 2048).sin()[None])
    samples, _ = decoder.decode(codes, decoder.initial_state())
    assert (codes.shape, samples.shape, samples.dtype) == ((1, 3, 2), (1, 4096), torch.float32)


FAULTS = {
    "decoder.model.5.alpha": None,
    "quantizer.quantizer.quantizers.1.in_proj.bias": None,
    "quantizer.semantic_quantizer.quantizers.1.codebook.weight": (64, 8),
    "quantizer.post_module.input_proj.weight": (64, 64),
    "quantizer.post_module.layers.0.attention.rel_pos_embeddings": (257, 64),
    "decoder.model.1.freqs_cis": (24, 32, 2),
    "quantizer.downsample.1.1.gamma": (63,),
    "encoder.block.1.block.3.alpha": (1, 5, 1),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_missing_left_over_or_misshapen_is_named(tensors, tmp_path, name):
    changed = {**tensors, name: torch.zeros(FAULTS[name] or ())}
    if FAULTS[name] is None:
        del changed[name]
    torch.save(changed, tmp_path / "codec.pth")
    kind = "missing" if FAULTS[name] is None else "of another shape" if name in tensors else "unexpected"
    with pytest.raises(CheckpointInvalid) as refused:
        loaded(tmp_path)
    assert f"1 {kind}: {name}" in refused.value.fact


def test_a_file_without_the_tables_of_an_older_build_is_as_good(tensors, tmp_path):
    torch.save({name: tensor for name, tensor in tensors.items() if not name.startswith(STRAY)}, tmp_path / "codec.pth")
    with pytest.raises(CheckpointInvalid):
        loaded(tmp_path)  # with the transformers themselves left out, too
    torch.save({name: tensor for name, tensor in tensors.items() if tensor.dtype == torch.float32}, tmp_path / "codec.pth")
    assert loaded(tmp_path)


def changed(name: str, shape: tuple[int, ...] | None = None) -> Shapes:
    shapes = Shapes(codec_tensors(TINY))
    shapes.shapes[name] = shape
    if shape is None:
        del shapes.shapes[name]
    return shapes


STRANGE = {
    "a rate of its own on the way out": (
        Shapes(codec_tensors(replace(TINY, decoder_rates=(8, 8, 4, 4)))),
        "encodes frames of 2048 samples and decodes 4096",
    ),
    "a transformer in an earlier stage": (
        changed("encoder.block.3.block.5.layers.0.attention.wqkv.weight", (96, 32)),
        "a transformer at encoder.block.3.block.5",
    ),
    "an odd kernel": (changed("encoder.block.2.block.4.conv.weight", (16, 8, 9)), "encoder.block.2.block.4.conv.weight of 9 taps"),
    "another way up": (
        changed("quantizer.upsample.0.0.conv.weight", (64, 64, 4)),
        r"downsample of \(2, 2\) and quantizer.upsample of \(4, 2\)",
    ),
    "a narrow transformer": (
        changed("quantizer.pre_module.layers.0.attention.wqkv.weight", (96, 32)),
        "quantizer.pre_module of width 32 between 64 channels",
    ),
    "heads that do not fill it": (Shapes(codec_tensors(replace(TINY, latent_dim=96))), "quantizer.pre_module of width 96"),
    "channels that cannot be halved": (Shapes(codec_tensors(replace(TINY, decoder_dim=24))), "decoder.model.0 of 24 channels"),
    "a flat codebook": (changed("quantizer.quantizer.quantizers.0.codebook.weight", (32,)), "0.codebook.weight of shape"),
    "no books": (changed("quantizer.semantic_quantizer.quantizers.0.codebook.weight"), "no tensor quantizer.semantic_quantizer"),
    "no stages": (changed("encoder.block.1.block.4.conv.weight"), "no tensor encoder.block.1.block.4.conv.weight"),
}


@pytest.mark.parametrize("case", STRANGE)
def test_what_is_not_implemented_is_refused_by_name(case):
    shapes, fact = STRANGE[case]
    with pytest.raises(CheckpointInvalid, match=fact):
        FishCodecConfig.of(shapes)


def test_a_folder_without_the_file_says_so(tmp_path):
    with pytest.raises(CheckpointInvalid, match=r"codec\.pth"):
        open_codec(tmp_path)
