"""Rotation: float32 angles in every dtype, rounding where each model has it, and nothing that makes no sense."""

import pytest
import torch

from engines.kit.nn.attention import Rotary, RotaryConfig, apply_rotary

POSITIONS = torch.tensor([0, 1, 7, 511, 16_383])


def heads(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1))


def angles(theta: float) -> torch.Tensor:
    exponents = torch.arange(0, 8, 2, dtype=torch.float32) / 8
    return POSITIONS[:, None].float() * (1.0 / theta**exponents)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_angles_are_float32_and_then_cast(dtype):
    cos, signed_sin = Rotary(RotaryConfig(theta=1e6), 8)(POSITIONS, dtype)
    assert torch.equal(cos[:, 0], torch.cat([angles(1e6).cos()] * 2, dim=-1).to(dtype))
    assert torch.equal(signed_sin[:, 0], torch.cat([-angles(1e6).sin(), angles(1e6).sin()], dim=-1).to(dtype))


def test_a_position_has_its_bits_alone_and_in_any_company():
    rotary = Rotary(RotaryConfig(), 8)
    whole, _ = rotary(POSITIONS, torch.float32)
    each, _ = rotary(POSITIONS.view(5, 1), torch.float32)
    assert torch.equal(whole, each[:, 0])


@pytest.mark.parametrize("config", [RotaryConfig(), RotaryConfig("interleaved", rotary_dim=4, in_float32=True)])
def test_rotations_that_were_tabulated_are_looked_up_where_the_table_reaches(config):
    """Of all rows and of each by itself; a table that has grown says the same."""
    rotary, positions = Rotary(config, 8), torch.tensor([[3], [0], [19]])
    computed = [Rotary(config, 8)(given, torch.bfloat16) for given in (positions, positions[:, 0])]
    for n_positions in (20, 10, 40):
        rotary.tabulate(n_positions, positions.device, torch.bfloat16)
        for given, expected in zip((positions, positions[:, 0]), computed, strict=True):
            assert all(map(torch.equal, rotary(given, torch.bfloat16, most=20), expected))
    kept = rotary._tables[positions.device, torch.bfloat16]
    assert [table.shape[1] for table in kept] == [20, 40], "a graph that was captured before goes on reading the shorter one"
    beyond = torch.tensor([41])
    assert all(map(torch.equal, rotary(beyond, torch.bfloat16, most=42), Rotary(config, 8)(beyond, torch.bfloat16)))


def test_sums_are_taken_in_the_heads_dtype_or_in_float32_as_asked():
    given = heads(5, 3, 8).bfloat16()
    cos, sin = (torch.cat([part] * 2, dim=-1)[:, None] for part in (angles(1e4).cos(), angles(1e4).sin()))
    other = torch.cat([-given[..., 4:], given[..., :4]], dim=-1)
    in_bfloat16 = given * cos.bfloat16() + other * sin.bfloat16()
    in_float32 = (given.float() * cos + other.float() * sin).bfloat16()
    assert not torch.equal(in_bfloat16, in_float32)
    assert torch.equal(apply_rotary(given, Rotary(RotaryConfig(), 8)(POSITIONS, given.dtype)), in_bfloat16)
    assert torch.equal(apply_rotary(given, Rotary(RotaryConfig(in_float32=True), 8)(POSITIONS, given.dtype)), in_float32)


def test_a_table_is_rounded_before_float32_sums_where_that_is_asked():
    given = heads(5, 3, 8).bfloat16()
    exact, rounded = (Rotary(RotaryConfig(in_float32=True, rounded_table=is_rounded), 8) for is_rounded in (False, True))
    for table, whole in zip(rounded(POSITIONS, given.dtype), exact(POSITIONS, given.dtype), strict=True):
        assert table.dtype == torch.float32
        assert torch.equal(table, whole.bfloat16().float())
        assert not torch.equal(table, whole)
    assert all(map(torch.equal, rounded(POSITIONS, torch.float32), exact(POSITIONS, torch.float32)))


def test_channels_that_are_not_rotated_pass_as_they_are():
    given = heads(5, 3, 8)
    assert torch.equal(apply_rotary(given, Rotary(RotaryConfig(rotary_dim=4), 8)(POSITIONS, given.dtype))[..., 4:], given[..., 4:])
    assert apply_rotary(given, Rotary(RotaryConfig("none"), 8)(POSITIONS, given.dtype)) is given


@pytest.mark.parametrize("config", [RotaryConfig(rotary_dim=10), RotaryConfig(rotary_dim=3), RotaryConfig(factors=(1.0, 2.0))])
def test_widths_and_factors_that_do_not_fit_are_refused(config):
    with pytest.raises(ValueError, match=r"rotate|factors"):
        Rotary(config, 8)
