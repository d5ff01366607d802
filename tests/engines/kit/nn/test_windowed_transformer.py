"""The windowed transformer: the textbook's numbers, exact in pieces, blind to the future and to what lies before its window."""

from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from engines.kit.nn import windowed_transformer
from engines.kit.nn.attention import AttentionConfig, RotaryConfig
from engines.kit.nn.norm import RMSNorm
from engines.kit.nn.windowed_transformer import WindowedTransformer, WindowedTransformerConfig

HEADS = AttentionConfig(12, n_heads=4, n_kv_heads=2, head_dim=6, rotary=RotaryConfig(), norm_eps=1e-5)
RMS = WindowedTransformerConfig("rms_swiglu", HEADS, intermediate_size=20, n_layers=2, window=5)
GELU = replace(RMS, kind="layer_gelu", attention=replace(HEADS, n_kv_heads=4))
START = torch.zeros(1, dtype=torch.int64)


def noise(*shape: int, seed: int = 1) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def made(config: WindowedTransformerConfig, *, prepare: bool = True) -> WindowedTransformer:
    network = WindowedTransformer(config).double().requires_grad_(False)
    for index, parameter in enumerate(network.parameters()):
        parameter.copy_(noise(*parameter.shape, seed=index) * 0.4)
    if prepare:
        network.prepare_weights()
    return network


@pytest.fixture(params=[RMS, GELU], ids=lambda config: config.kind)
def config(request) -> WindowedTransformerConfig:
    return request.param


def whole(network: WindowedTransformer, rows: Tensor) -> Tensor:
    return network(rows, START.expand(len(rows)), None)[0]


def textbook(network: WindowedTransformer, rows: Tensor) -> Tensor:
    """Before folding: complex rotation, repeated keys, a band of minus infinity."""
    config, n, sizes = network.config, rows.shape[1], network.config.attention
    n_groups, width = sizes.n_heads // sizes.n_kv_heads, sizes.n_kv_heads * sizes.head_dim
    frequencies = 1 / sizes.rotary.theta ** (torch.arange(0, sizes.head_dim, 2, dtype=torch.float32) / sizes.head_dim)
    angles = torch.arange(n, dtype=torch.float32)[:, None] * frequencies  # float32, and so are their sines
    turn = torch.complex(angles.cos().double(), angles.sin().double())
    distance = torch.arange(n)[:, None] - torch.arange(n)
    band = torch.zeros(n, n, dtype=torch.float64).masked_fill((distance < 0) | (distance >= config.window), -torch.inf)

    def heads(x):
        return x.unflatten(-1, (-1, sizes.head_dim)).transpose(1, 2)

    def turned(x):
        half = sizes.head_dim // 2
        turning = torch.complex(x[..., :half], x[..., half:]) * turn
        return torch.cat([turning.real, turning.imag], dim=-1)

    for layer in network.layers:
        at, mlp = layer.self_attn, layer.mlp
        queries, keys, values = at.qkv_proj(layer.input_layernorm(rows)).split([n_groups * width, width, width], dim=-1)
        queries, keys, values = turned(heads(queries)), turned(heads(keys)), heads(values)
        keys, values = (x.repeat_interleave(n_groups, dim=1) for x in (keys, values))
        weights = (queries @ keys.transpose(2, 3) / sizes.head_dim**0.5 + band).softmax(-1)
        rows = rows + layer.attention_scale * at.o_proj((weights @ values).transpose(1, 2).flatten(2))
        x = layer.post_attention_layernorm(rows)
        if config.kind == "rms_swiglu":
            gate, up = mlp.gate_up_proj(x).chunk(2, dim=-1)
            rows = rows + layer.mlp_scale * mlp.down_proj(F.silu(gate) * up)
        else:
            rows = rows + layer.mlp_scale * mlp.down_proj(F.gelu(mlp.up_proj(x)))
    return rows


def test_folded_it_computes_what_the_textbook_does(config):
    network, rows = made(config, prepare=False), noise(2, 14, 12)
    expected = textbook(network, rows)
    network.prepare_weights()
    assert (whole(network, rows) - expected).abs().max() < 1e-12


@pytest.mark.parametrize("window", [1, 2, 5])
@pytest.mark.parametrize("piece", [1, 3, 25])
def test_pieces_give_what_the_whole_gives(config, piece, window):
    """Also where a row sees itself alone, and nothing is kept."""
    network, rows, outs = made(replace(config, window=window)), noise(1, 40, 12), []
    position, kept = START, network.start(1, rows)
    for part in rows.split(piece, dim=1):
        out, kept = network(part, position, kept)
        position = position + part.shape[1]
        outs.append(out)
    assert (torch.cat(outs, dim=1) - whole(network, rows)).abs().max() < 1e-12


def test_a_long_stream_is_seen_whole_in_bounded_pieces(config, monkeypatch):
    network, rows = made(replace(config, last_norm=True)), noise(2, 40, 12)
    expected = whole(network, rows)
    assert torch.equal(network.forward_whole(rows), expected)
    monkeypatch.setattr(windowed_transformer, "MOST_ROWS_AT_ONCE", 7)
    n_rows = []
    network.layers[0].register_forward_pre_hook(lambda _, given: n_rows.append(given[0].shape[1]))
    assert (network.forward_whole(rows) - expected).abs().max() < 1e-12
    assert n_rows == [7, 7, 7, 7, 7, 5]


def test_rows_of_another_width_are_projected_and_the_last_norm_stands_before_the_way_back(config):
    network, rows = made(replace(config, last_norm=True, outer_size=5)), noise(2, 14, 5)
    inner = made(config)
    inner.load_state_dict({name: tensor for name, tensor in network.state_dict().items() if name.startswith("layers.")})
    expected = network.output_proj(network.norm(whole(inner, network.input_proj(rows))))
    assert expected.shape == rows.shape
    assert torch.equal(whole(network, rows), expected)


def test_the_future_cannot_change_the_past(config):
    network, rows, other = made(config), noise(1, 20, 12), noise(1, 20, 12, seed=2)
    other[:, :9] = rows[:, :9]
    assert torch.equal(whole(network, rows)[:, :9], whole(network, other)[:, :9])


def test_a_layer_sees_its_window_and_nothing_before(config):
    network, rows = made(replace(config, n_layers=1)), noise(1, 20, 12)
    for row, is_seen in ((19 - 4, True), (19 - 5, False)):
        other = rows.clone()
        other[:, row] = noise(12, seed=5)
        assert torch.equal(whole(network, rows)[:, 19], whole(network, other)[:, 19]) != is_seen


def test_without_a_window_every_row_before_counts(config):
    network, rows = made(replace(config, n_layers=1, window=None)), noise(1, 20, 12)
    other = rows.clone()
    other[:, 0] = noise(12, seed=5)
    assert not torch.equal(whole(network, rows)[:, 19], whole(network, other)[:, 19])


def test_streams_of_a_batch_stand_at_positions_of_their_own(config):
    network, rows = made(config), noise(1, 12, 12)
    early = network(rows[:, :2], START, network.start(1, rows))[1]
    late = network(rows[:, :9], START, network.start(1, rows))[1]
    both = tuple(torch.cat(pair) for pair in zip(early, late, strict=True))
    together, _ = network(rows[:, 9:].expand(2, -1, -1), torch.tensor([2, 9]), both)
    for index, (position, kept) in enumerate(((2, early), (9, late))):
        alone, _ = network(rows[:, 9:], torch.tensor([position]), kept)
        assert (together[index] - alone[0]).abs().max() < 1e-13


def test_what_is_kept_does_not_grow_and_owns_its_memory(config):
    network, rows = made(config), noise(1, 30, 12)
    start = network.start(1, rows)
    _, kept = network(rows, START, start)
    assert [x.shape for x in kept] == [x.shape for x in start]
    assert all(x.untyped_storage().nbytes() == x.nbytes for x in kept)
    assert not any(x.any() for x in start)


def test_norms_round_in_float32_even_for_float64():
    """Upstream does; a norm in float64 would differ from it by a float32's last digit."""
    norm, rows = RMSNorm(8, 1e-6, float64_in_float32=True).double().requires_grad_(False), noise(3, 8)
    norm.weight.fill_(1)
    assert torch.equal(norm(rows), norm(rows).float().double())
