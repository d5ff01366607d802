"""Minimizes a loss by AdamW (Loshchilov and Hutter 2019). The rate rises, then falls in a straight line; gradients are clipped."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

__all__ = ["Descent"]

_MOST_GRADIENT = 1.0
_KEPT = 0.98  # of the running mean of the loss, a step


@dataclass(frozen=True)
class Descent:
    """rate: the largest; reached after warming_steps, and never below least_rate of it. told_every: steps between two lines printed."""

    rate: float
    warming_steps: int
    least_rate: float
    weight_decay: float
    betas: tuple[float, float]
    told_every: int

    def run(self, network: nn.Module, draw_loss: Callable[[], torch.Tensor], n_steps: int) -> None:
        """Train the network in place; draw_loss gives the loss of the next examples."""
        optimizer = torch.optim.AdamW(network.parameters(), self.rate, weight_decay=self.weight_decay, betas=self.betas)
        schedule = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda step: min(1, (step + 1) / self.warming_steps) * max(self.least_rate, 1 - step / n_steps)
        )
        running = 0.0
        for step in range(n_steps):
            loss = draw_loss()
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), _MOST_GRADIENT)
            optimizer.step()
            schedule.step()
            running = loss.item() if step == 0 else _KEPT * running + (1 - _KEPT) * loss.item()
            if step % self.told_every == self.told_every - 1:
                print(f"{type(network).__name__}: step {step + 1} of {n_steps}, loss {running:.4f}", flush=True)  # noqa: T201 a script
