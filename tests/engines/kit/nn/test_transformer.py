"""The decoder: one row at a time equals all at once, the future cannot change the past, rows and unread positions do not matter."""

import pytest
import torch
from safetensors.torch import save_file

from engines.kit.nn.attention import AttentionConfig, KVCache, RotaryConfig
from engines.kit.nn.transformer import Decoder, DecoderConfig
from engines.kit.weights.checkpoint import Checkpoint

HEADS = AttentionConfig(24, n_heads=6, n_kv_heads=2, head_dim=8, rotary=RotaryConfig(), qk_norm=True, norm_eps=1e-6)
CONFIG = DecoderConfig(HEADS, intermediate_size=40, n_layers=3)


@pytest.fixture
def decoder() -> Decoder:
    torch.manual_seed(0)
    decoder = Decoder(CONFIG).double().requires_grad_(False)
    for name, value in decoder.named_parameters():
        if "norm" in name:
            value.uniform_(0.5, 1.5)
    return decoder


def rows(n: int, seed: int = 1) -> torch.Tensor:
    return torch.randn(1, n, HEADS.hidden_size, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def read(decoder: Decoder, x: torch.Tensor, *, n_keys: int | None = None) -> torch.Tensor:
    return decoder(x, decoder.step(torch.arange(x.shape[1]), n_keys or x.shape[1]), decoder.new_cache(1, 32))


def reference(decoder: Decoder, x: torch.Tensor) -> torch.Tensor:
    """The textbook: separate heads, repeated keys, a triangle of minus infinity, complex rotation."""
    positions = torch.arange(x.shape[1], dtype=torch.float64)
    wavelength = (1.0 / HEADS.rotary.theta ** (torch.arange(0, 8, 2, dtype=torch.float32) / 8)).double()
    turn = torch.polar(torch.ones(x.shape[1], 4, dtype=torch.float64), positions[:, None] * wavelength)

    def norm(y, weight):
        return y / (y.pow(2).mean(-1, keepdim=True) + HEADS.norm_eps).sqrt() * weight

    def rotate(y):
        turned = torch.complex(y[..., :4], y[..., 4:]) * turn
        return torch.cat([turned.real, turned.imag], dim=-1)

    for layer in decoder.layers:
        attention, y = layer.self_attn, norm(x, layer.input_layernorm.weight)
        q, k, v = attention.qkv_proj(y).split([48, 16, 16], dim=-1)
        q, k, v = (part.view(1, -1, part.shape[-1] // 8, 8).transpose(1, 2) for part in (q, k, v))
        q, k = norm(q, attention.qk_norm.view(8, 1, 8)[:6]), norm(k, attention.qk_norm.view(8, 1, 8)[6:])
        q, k = rotate(q), rotate(k).repeat_interleave(3, dim=1)
        scores = q @ k.transpose(-1, -2) / 8**0.5
        scores = scores + torch.full(scores.shape[-2:], float("-inf"), dtype=torch.float64).triu(1)
        attn_out = (scores.softmax(-1) @ v.repeat_interleave(3, dim=1)).transpose(1, 2).flatten(2)
        x = x + attention.o_proj(attn_out)
        gate, up = layer.mlp.gate_up_proj(norm(x, layer.post_attention_layernorm.weight)).chunk(2, dim=-1)
        x = x + layer.mlp.down_proj(torch.nn.functional.silu(gate) * up)
    return norm(x, decoder.norm.weight)


def test_it_computes_what_the_textbook_says(decoder):
    x = rows(7)
    # Angles are float32, so that is how close a float64 rotation can come.
    assert torch.allclose(read(decoder, x), reference(decoder, x), atol=1e-6)


@pytest.mark.parametrize("cuts", [(1,) * 12, (5, 7), (3, 1, 1, 7)])
def test_rows_in_pieces_equal_rows_at_once(decoder, cuts):
    x, cache, at, hidden_states = rows(12), decoder.new_cache(1, 32), 0, []
    for n in cuts:
        positions = torch.arange(at, at + n)
        hidden_states.append(decoder(x[:, at : at + n], decoder.step(positions, at + n, exact=n == 1), cache))
        at += n
    assert torch.allclose(torch.cat(hidden_states, dim=1), read(decoder, x), atol=1e-12)


def test_the_future_cannot_change_the_past(decoder):
    x, y = rows(10), rows(10)
    y[:, 6:] = rows(4, seed=9)
    assert torch.allclose(read(decoder, x)[:, :6], read(decoder, y)[:, :6], atol=1e-14)
    assert not torch.allclose(read(decoder, x)[:, 6:], read(decoder, y)[:, 6:], atol=1e-3)


def test_positions_beyond_the_row_may_hold_anything_finite(decoder):
    x, cache = rows(9), decoder.new_cache(1, 32)
    cache.tensor.normal_(generator=torch.Generator().manual_seed(3))
    assert torch.allclose(decoder(x, decoder.step(torch.arange(9), 32), cache), read(decoder, x), atol=1e-12)


def test_padding_rows_behind_change_nothing(decoder):
    x, cache = rows(9), decoder.new_cache(1, 32)
    padded = torch.cat([x[:, :6], rows(3, seed=5)], dim=1)
    decoder(padded, decoder.step(torch.arange(9), 9), cache)
    hidden_states = decoder(x[:, 6:7], decoder.step(torch.tensor([6]), 7, exact=True), cache)
    assert torch.allclose(hidden_states[:, 0], read(decoder, x)[:, 6], atol=1e-12)


def test_saved_keys_and_values_continue_elsewhere(decoder):
    x, cache, other = rows(9), decoder.new_cache(1, 32), decoder.new_cache(1, 16)
    decoder(x[:, :6], decoder.step(torch.arange(6), 6), cache)
    other.restore(cache.saved(0, 6))
    hidden_states = decoder(x[:, 6:], decoder.step(torch.arange(6, 9), 9), other)
    assert torch.allclose(hidden_states, read(decoder, x)[:, 6:], atol=1e-12)


def test_rows_of_a_batch_do_not_see_each_other(decoder):
    x, y = rows(5), rows(5, seed=2)
    both = decoder(torch.cat([x, y]), decoder.step(torch.arange(5), 5), decoder.new_cache(2, 8))
    assert torch.allclose(both, torch.cat([read(decoder, x), read(decoder, y)]), atol=1e-12)


def test_bfloat16_is_normalized_in_float32_and_cast_before_the_weight(decoder):
    norm = decoder.norm.bfloat16()
    x = rows(50).bfloat16()
    wide = x.float()
    unit = (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + norm.eps)).bfloat16()
    assert torch.equal(norm(x), norm.weight * unit)


def test_separate_tensors_of_a_checkpoint_fill_the_packed_ones(decoder, tmp_path):
    tensors = {}
    for name, value in decoder.state_dict().items():
        parts = next((parts for packed, parts in decoder.packs.items() if name.endswith(packed)), None)
        if name.endswith("qk_norm"):
            base = name.removesuffix("self_attn.qk_norm")
            value.view(8, 8)[:6], value.view(8, 8)[6:] = 1.5, 0.5
            tensors |= {base + "self_attn.q_norm.weight": value[:8].clone(), base + "self_attn.k_norm.weight": value[-8:].clone()}
        elif parts is None:
            tensors[name] = value
        else:
            base = name.removesuffix(next(packed for packed in decoder.packs if name.endswith(packed)))
            sizes = [48, 16, 16] if len(parts) == 3 else [40, 40]
            tensors |= {base + part: piece.clone() for part, piece in zip(parts, value.split(sizes), strict=True)}
    save_file(tensors, tmp_path / "model.safetensors")
    loaded = Decoder(CONFIG).double().requires_grad_(False)
    with Checkpoint(tmp_path) as checkpoint:
        checkpoint.load_into(loaded, packs=loaded.packs)
    x = rows(6)
    assert torch.equal(read(loaded, x), read(decoder, x))


STARTS = (0, 4, 9)  # of three rows that stand at positions of their own


def histories(decoder: Decoder) -> tuple[KVCache, list[KVCache]]:
    """A cache of three rows with histories of different lengths, and the same as three caches."""
    together, alone = decoder.new_cache(3, 16), []
    for index, start in enumerate(STARTS):
        cache = decoder.new_cache(1, 16)
        if start:
            decoder(rows(start, seed=index), decoder.step(torch.arange(start), start), cache)
        together.row(index).restore(cache.tensor)
        alone.append(cache)
    return together, alone


def test_rows_of_a_step_stand_at_positions_of_their_own(decoder):
    together, alone = histories(decoder)
    x = torch.cat([rows(4, seed=9 + index) for index in range(3)])
    positions = torch.tensor(STARTS)[:, None] + torch.arange(4)
    got = decoder(x, decoder.step(positions, 16), together)
    for index, start in enumerate(STARTS):
        expected = decoder(x[index : index + 1], decoder.step(positions[index], start + 4), alone[index])
        assert torch.allclose(got[index], expected[0], atol=1e-12)
        assert torch.allclose(together.row(index).tensor, alone[index].tensor, atol=1e-12)


def test_row_by_row_every_row_sees_exactly_its_keys_and_an_idle_one_nothing(decoder):
    together, alone = histories(decoder)
    x, positions = torch.cat([rows(1, seed=9 + index) for index in range(3)]), torch.tensor(STARTS)[:, None]
    got = decoder(x, decoder.step(positions, (1, 0, 10)), together)
    for index in (0, 2):
        n = STARTS[index] + 1
        expected = decoder(x[index : index + 1], decoder.step(positions[index], n, exact=True), alone[index])
        assert torch.allclose(got[index], expected[0], atol=1e-12)
    attended = []
    hook = decoder.layers[0].self_attn.register_forward_hook(lambda _, given, out: attended.append(out))
    decoder(x, decoder.step(positions, (1, 0, 10)), together)
    hook.remove()
    assert not attended[0][1].any()
    assert attended[0][0].any()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("n_keys", [(1, 5, 10), (7, 5, 2), (0, 5, 0)])
def test_not_one_bit_of_a_row_depends_on_its_neighbors(decoder, dtype, n_keys):
    """On a CPU, at one width of the batch. A neighbor has other rows, another past, another length, or is idle."""
    decoder, heard = decoder.to(dtype), []
    for seed in (20, 30):
        cache = decoder.new_cache(3, 16)
        cache.tensor.normal_(generator=torch.Generator().manual_seed(seed))
        cache.row(1).tensor.copy_(torch.linspace(-1, 1, 16)[:, None])
        x = torch.cat([rows(1, seed=seed), rows(1, seed=5), rows(1, seed=seed + 1)]).to(dtype)
        lengths = (1, 5, 10) if seed == 20 else n_keys
        positions = torch.tensor(lengths)[:, None].sub(1).clamp(min=0)
        heard.append(decoder(x, decoder.step(positions, lengths), cache)[1])
    assert torch.equal(*heard)


def test_a_step_has_one_additive_mask_of_the_compute_dtype(decoder):
    decoder = decoder.bfloat16()
    step = decoder.step(torch.tensor([2, 3]), 5)
    assert step.mask.dtype == torch.bfloat16
    assert step.mask.tolist() == [[0.0] * 3 + [-torch.inf] * 2, [0.0] * 4 + [-torch.inf]] * 3  # for each of three groups
    assert decoder.step(torch.tensor([[2], [3]]), 5).mask.shape == (2, 1, 1, 5)
    assert decoder.step(torch.tensor([3]), 4, exact=True).mask is None


def test_layers_are_compiled_once_whoever_is_idle(decoder):
    x, positions = torch.cat([rows(1, seed=9 + index) for index in range(3)]), torch.tensor(STARTS)[:, None]
    decoder.layers, said, kinds = decoder.layers[:2], [], []
    past, _ = histories(decoder)
    torch._dynamo.reset()
    for is_compiled in (False, True):
        if is_compiled:
            decoder.compile_layers("aot_eager")
        for n_keys in ((1, 5, 10), (0, 5, 10), (1, 0, 0)):
            said.append(decoder(x, decoder.step(positions, n_keys), KVCache(past.tensor.clone())))
            kinds.append(torch._dynamo.utils.counters["stats"]["unique_graphs"])
    torch._dynamo.reset()
    assert kinds[2:] == [kinds[2], *[kinds[2] + 1] * 3], "of one kind, the first layer too"
    assert all(torch.allclose(*pair, atol=1e-12) for pair in zip(said[:3], said[3:], strict=True))
