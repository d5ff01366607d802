"""Snake activations: their formulas, and inputs left alone."""

import torch
from torch import Tensor, nn

from engines.kit.codec.snake import Snake, SnakeBeta

ROWS = torch.randn(2, 20, 9, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def made(snake: nn.Module) -> nn.Module:
    snake = snake.double().requires_grad_(False)
    for index, parameter in enumerate(snake.parameters()):
        parameter.copy_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(index), dtype=torch.float64))
    return snake


def prepared(snake: nn.Module) -> Tensor:
    snake.prepare_weights()
    before = ROWS.clone()
    out = snake(ROWS)
    assert torch.equal(ROWS, before)
    return out


def test_snake_beta_is_its_formula():
    snake = made(SnakeBeta(9))
    expected = ROWS + (ROWS * snake.alpha.exp()).sin() ** 2 / (snake.beta.exp() + 1e-9)
    assert torch.allclose(prepared(snake), expected, rtol=0, atol=1e-13)


def test_snake_is_its_formula_however_alpha_is_stored():
    for snake in (made(Snake(9)), made(Snake(9, is_flat=True))):
        alpha = snake.alpha.reshape(9)
        expected = ROWS + (ROWS * alpha).sin() ** 2 / (alpha + 1e-9)
        assert torch.allclose(prepared(snake), expected, rtol=0, atol=1e-13)
    assert Snake(9).alpha.shape == (1, 9, 1)
    assert Snake(9, is_flat=True).alpha.shape == (9,)


def test_an_alpha_of_zero_is_a_straight_line():
    snake = Snake(9)
    nn.init.zeros_(snake.alpha)
    snake.requires_grad_(False).prepare_weights()
    assert torch.equal(snake(ROWS.float()), ROWS.float())
