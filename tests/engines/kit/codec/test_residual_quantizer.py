"""Residual quantization: the nearest entry of what is left over, and the sum of what was found."""

import torch
from torch import Tensor

from engines.kit.codec.residual_quantizer import ResidualQuantizer, SplitResidualLookup

SIZE, WIDTH, CODEBOOK_DIM, N_CODEBOOKS = 30, 10, 6, 4


def noise(*shape: int, seed: int = 1) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def filled(module: torch.nn.Module) -> torch.nn.Module:
    module = module.double().requires_grad_(False)
    for index, (name, tensor) in enumerate(module.state_dict().items()):
        values = noise(*tensor.shape, seed=index)
        tensor.copy_(values.abs() + 0.2 if name.endswith("cluster_usage") else values)
    return module


def entries(codebook: torch.nn.Module, sums: str) -> Tensor:
    return getattr(codebook, sums) / codebook.cluster_usage[:, None]


def test_each_code_is_the_entry_nearest_to_what_the_codebooks_before_left():
    quantizer, rows = filled(ResidualQuantizer(WIDTH, CODEBOOK_DIM, N_CODEBOOKS, SIZE)), noise(2, 7, WIDTH)
    codebooks = [entries(layer["codebook"], "embed_sum") for layer in quantizer.layers]
    left, expected = rows @ quantizer.input_proj.weight[:, :, 0].T, []
    for codebook in codebooks:
        code = (left[..., None, :] - codebook).square().sum(-1).argmin(-1)
        left = left - codebook[code]
        expected.append(code)
    quantizer.prepare_weights()
    codes = quantizer(rows)
    assert codes.shape == (2, 7, N_CODEBOOKS)
    assert torch.equal(codes, torch.stack(expected, dim=-1))


def test_the_first_of_equal_entries_wins():
    quantizer = filled(ResidualQuantizer(WIDTH, CODEBOOK_DIM, 1, 2048))
    codebook = quantizer.layers[0]["codebook"]
    codebook.embed_sum[1000:] = codebook.embed_sum[7]
    codebook.cluster_usage[1000:] = codebook.cluster_usage[7]
    target = entries(codebook, "embed_sum")[7]
    quantizer.input_proj.weight.copy_(torch.eye(CODEBOOK_DIM, WIDTH, dtype=torch.float64)[..., None])
    quantizer.prepare_weights()
    assert quantizer(torch.nn.functional.pad(target, (0, WIDTH - CODEBOOK_DIM))[None, None]).item() == 7


def test_an_entry_that_was_never_used_is_no_division_by_zero():
    quantizer = filled(ResidualQuantizer(WIDTH, CODEBOOK_DIM, 1, SIZE))
    quantizer.layers[0]["codebook"].cluster_usage[3] = 0
    quantizer.prepare_weights()
    assert quantizer.codebooks.isfinite().all()


def test_a_lookup_is_the_projected_sum_of_the_codebooks_the_first_apart():
    lookup = filled(SplitResidualLookup(WIDTH, CODEBOOK_DIM, N_CODEBOOKS, SIZE))
    codes = torch.randint(SIZE, (2, N_CODEBOOKS, 5), generator=torch.Generator().manual_seed(0))
    expected = torch.zeros(2, 5, WIDTH, dtype=torch.float64)
    for codebooks, mine in ((lookup.rvq_first, codes[:, :1]), (lookup.rvq_rest, codes[:, 1:])):
        tables = [entries(layer["_codebook"], "embedding_sum") for layer in codebooks.vq["layers"]]
        found = sum(table[mine[:, index]] for index, table in enumerate(tables))
        expected += found @ codebooks.output_proj.weight[:, :, 0].T
    lookup.prepare_weights()
    assert (lookup(codes) - expected).abs().max() < 1e-12
