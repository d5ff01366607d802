"""Factorised codes: the entry of the nearest direction, of what the books before left over, and the sum of what was found."""

import torch
import torch.nn.functional as F
from torch import Tensor

from engines.kit.codec.factorized_quantizer import FactorizedLookup, FactorizedQuantizer

WIDTH, CODEBOOK_DIM, SIZES = 10, 6, (30, 12, 20)


def noise(*shape: int, seed: int = 1) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def filled(module: torch.nn.Module) -> torch.nn.Module:
    """The same numbers for the same names."""
    module = module.double().requires_grad_(False)
    for name, tensor in module.state_dict().items():
        tensor.copy_(noise(*tensor.shape, seed=sum(map(ord, name))))
    return module


def caught(book: torch.nn.Module, codes: Tensor) -> Tensor:
    return book.codebook.weight[codes] @ book.out_proj.weight[:, :, 0].T + book.out_proj.bias


def test_each_code_is_the_entry_whose_direction_is_nearest_to_what_the_books_before_left():
    quantizer, rows = filled(FactorizedQuantizer(WIDTH, CODEBOOK_DIM, SIZES)), noise(2, 7, WIDTH)
    left, expected = rows, []
    for book in quantizer.quantizers:
        small = left @ book.in_proj.weight[:, :, 0].T + book.in_proj.bias
        code = F.cosine_similarity(small[:, :, None], book.codebook.weight, dim=-1).argmax(-1)
        left = left - caught(book, code)
        expected.append(code)
    quantizer.prepare_weights()
    codes, remainder = quantizer(rows)
    assert torch.equal(codes, torch.stack(expected, dim=-1))
    assert (remainder - left).abs().max() < 1e-12


def test_how_long_an_entry_is_makes_no_difference_to_which_is_nearest():
    rows, found = noise(1, 40, WIDTH), []
    for lengths in (torch.ones(30, 1), noise(30, 1).abs() + 0.1):
        quantizer = filled(FactorizedQuantizer(WIDTH, CODEBOOK_DIM, (30,)))
        quantizer.quantizers[0].codebook.weight.mul_(lengths)
        quantizer.prepare_weights()
        found.append(quantizer(rows)[0])
    assert torch.equal(*found)
    assert len(found[0].unique()) > 3


def test_a_lookup_is_the_sum_of_what_each_book_says():
    lookup = filled(FactorizedLookup(WIDTH, CODEBOOK_DIM, SIZES))
    codes = torch.stack([torch.randint(size, (2, 5), generator=torch.Generator().manual_seed(size)) for size in SIZES], dim=1)
    expected = sum(caught(book, codes[:, index]) for index, book in enumerate(lookup.quantizers))
    lookup.prepare_weights()
    assert not list(lookup.parameters())
    assert (lookup(codes) - expected).abs().max() < 1e-12


def test_what_is_looked_up_is_what_the_quantizer_took_away():
    quantizer, lookup = (filled(kind(WIDTH, CODEBOOK_DIM, SIZES)) for kind in (FactorizedQuantizer, FactorizedLookup))
    for network in (quantizer, lookup):
        network.prepare_weights()
    rows = noise(2, 7, WIDTH)
    codes, remainder = quantizer(rows)
    assert (rows - remainder - lookup(codes.transpose(1, 2))).abs().max() < 1e-12


def test_by_distance_the_length_of_an_entry_counts_and_projections_are_matrices():
    kinds = (FactorizedQuantizer(WIDTH, CODEBOOK_DIM, SIZES, "distance"), FactorizedLookup(WIDTH, CODEBOOK_DIM, SIZES, "distance"))
    quantizer, lookup = map(filled, kinds)
    rows = noise(2, 7, WIDTH)
    left, expected = rows, []
    for book in quantizer.quantizers:
        code = torch.cdist(book.in_proj(left), book.codebook.weight).argmin(-1)
        left = left - book.out_proj(book.codebook.weight[code])
        expected.append(code)
    for network in (quantizer, lookup):
        network.prepare_weights()
    codes, remainder = quantizer(rows)
    assert torch.equal(codes, torch.stack(expected, dim=-1))
    assert (remainder - left).abs().max() < 1e-12
    assert (rows - remainder - lookup(codes.transpose(1, 2))).abs().max() < 1e-12
