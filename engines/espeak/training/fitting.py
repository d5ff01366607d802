"""Training the prior: squared error on frames and on their movement, then against a judge of natural speech."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch.nn import functional

from engines.espeak.hidden_stream import N_CEPSTRA_IN, frame_inputs
from engines.espeak.languages import language_of
from engines.espeak.prior import Prior
from engines.espeak.spectrum import MEL_HZ, N_BANDS, N_CEPSTRA, N_MELS, dct_matrix, interpolation
from engines.espeak.training.network import Discriminator, Network

__all__ = ["WARPS", "Schedule", "tensors_of", "train"]

WARPS = (0.84, 0.92, 1.0, 1.09, 1.19)  # of the frequency axis
SEGMENT_FRAMES, BATCH = 128, 16
INPUT_NOISE = 0.05
PHONES_FORGOTTEN, PHONE_FORGOTTEN = 0.1, 0.03  # so that phones it never saw do no harm
MOVEMENTS = (1, 4)  # frames either side of a difference
MOVEMENT_WEIGHT = 0.5
PAUSE_WEIGHT = 0.2
MELODY_WEIGHT = 0.1
JUDGED_WEIGHT, FEATURES_WEIGHT = 1.0, 1.0


@dataclass(frozen=True)
class Schedule:
    """steps: of squared error alone; judged_steps: with the judge, after them. without_judge: voices that are no example of natural speech."""

    steps: int
    judged_steps: int = 0
    seed: int = 0


class _Segments:
    """Random stretches of the utterances, one voice and one warp each."""

    def __init__(self, utterances: Sequence, prior: Prior, seed: int):
        names = sorted({u.voice for u in utterances})
        self.names = names
        self._random = np.random.default_rng(seed)
        inputs = [frame_inputs(u.cepstra, u.source_f0, u.position, language_of("", u.language).source_f0_hz) for u in utterances]
        self._melodies = _melodies(utterances)
        heard = [u.speech for u in utterances]
        joined_inputs = np.concatenate([rows[speech] for rows, speech in zip(inputs, heard, strict=True)])
        joined = np.concatenate([u.targets[u.speech] for u in utterances])
        self.input_mean, self.input_scale = joined_inputs.mean(0), joined_inputs.std(0) + 1e-3
        self.target_mean, self.target_scale = joined.mean(0), joined.std(0) + 1e-3
        self._inputs = [((rows - self.input_mean) / self.input_scale).astype(np.float32) for rows in inputs]
        self._utterances = utterances
        self._of_voice = [[k for k, u in enumerate(utterances) if u.voice == name and len(u.targets) > SEGMENT_FRAMES] for name in names]
        self._share = [np.array([len(utterances[k].targets) for k in of], float) for of in self._of_voice]
        natural = [any(u.natural for u in utterances if u.voice == name) for name in names]
        self.natural = np.array(natural)
        weights = np.array([{"heart": 4.0, "nsh": 3.0}.get(name, 1.0) for name in names])
        self._voice_weights = weights / weights.sum()

    def draw(self, size: int) -> tuple:
        random = self._random
        voice = random.choice(len(self.names), size, p=self._voice_weights)
        warp = random.integers(0, len(WARPS), size)
        rows = []
        for v in voice:
            number = random.choice(self._of_voice[v], p=self._share[v] / self._share[v].sum())
            utterance = self._utterances[number]
            start = random.integers(0, len(utterance.targets) - SEGMENT_FRAMES)
            part = slice(start, start + SEGMENT_FRAMES)
            rows.append((self._inputs[number][part], utterance.phones[part], utterance.targets[part], utterance.speech[part], self._melodies[number][part], (utterance.f0[part] > 0) & utterance.natural))
        x, phones, y, speech, melody, sung = (torch.from_numpy(np.stack(column)) for column in zip(*rows, strict=True))
        return x, phones.long(), y.float(), speech.float(), torch.from_numpy(voice), torch.from_numpy(warp), melody.float(), sung.float()


def _melodies(utterances: Sequence) -> list[np.ndarray]:
    """(F,) of each: log F0 in its voice's deviations from its voice's median, 0 where unvoiced."""
    found = {}
    for voice in {u.voice for u in utterances}:
        log_f0 = np.log(np.concatenate([u.f0[u.f0 > 0] for u in utterances if u.voice == voice]))
        median = np.median(log_f0)
        found[voice] = median, log_f0[np.abs(log_f0 - median) < 0.7].std()
    return [np.where(u.f0 > 0, (np.log(np.where(u.f0 > 0, u.f0, 1)) - found[u.voice][0]) / found[u.voice][1], 0).clip(-3, 3) for u in utterances]


def warp_matrices() -> np.ndarray:
    """(W, N_CEPSTRA, N_CEPSTRA): cepstra (as columns) of an envelope to those of the envelope with its frequency axis stretched."""
    dct = dct_matrix(N_MELS, N_CEPSTRA).astype(np.float64)
    return np.stack([dct @ interpolation(MEL_HZ, MEL_HZ / warp) @ dct.T for warp in WARPS]).astype(np.float32)


def output_weights(scale: np.ndarray) -> np.ndarray:
    """(O,) weight of each output in the loss: high cepstra and aperiodicities count less."""
    weights = np.concatenate([np.ones(20), np.full(N_CEPSTRA - 20, 0.5), np.full(N_BANDS, 0.3), [0.5]])
    weights[:N_CEPSTRA] *= np.sqrt(scale[:N_CEPSTRA] / scale[5])
    return weights.astype(np.float32)


def _moved(rows: torch.Tensor, frames: int) -> torch.Tensor:
    return rows[:, 2 * frames :] - rows[:, : -2 * frames]


def train(utterances: Sequence, prior: Prior, schedule: Schedule, log=print, checkpoint=None) -> Prior:
    torch.manual_seed(schedule.seed)
    segments = _Segments(utterances, prior, schedule.seed)
    mean, scale = torch.from_numpy(segments.target_mean), torch.from_numpy(segments.target_scale)
    weights, warps = torch.from_numpy(output_weights(segments.target_scale)), torch.from_numpy(warp_matrices())
    natural = torch.from_numpy(segments.natural)
    network = Network(len(prior.number_of), len(segments.names) * len(WARPS))
    judge = Discriminator(N_CEPSTRA_IN + 2)
    n_steps = schedule.steps + schedule.judged_steps
    optimizer = torch.optim.AdamW(network.parameters(), 1e-3, weight_decay=1e-3, betas=(0.9, 0.98))
    rates = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda k: min(1, (k + 1) / 200) * (2.0 if k < schedule.steps else 1.0) * max(0.02, 1 - k / n_steps)
    )
    judge_optimizer = torch.optim.AdamW(judge.parameters(), 4e-4, betas=(0.5, 0.9))
    running = {}

    def note(**values):
        for name, value in values.items():
            running[name] = 0.98 * running.get(name, float(value)) + 0.02 * float(value)

    movement_scale = None
    network.train()
    for step in range(n_steps):
        x, phones, y, speech, voice, warp, melody, sung = segments.draw(BATCH)
        wanted = y.clone()
        wanted[:, :, :N_CEPSTRA] = y[:, :, :N_CEPSTRA] @ warps[warp].transpose(1, 2)
        wanted = (wanted - mean) / scale
        if movement_scale is None:
            many = torch.cat([segments.draw(64)[2] for _ in range(4)])
            many = (many - mean) / scale
            movement_scale = [_moved(many, k).pow(2).mean((0, 1)).sqrt() for k in MOVEMENTS]
        noisy = x + INPUT_NOISE * torch.randn(x.shape)
        predicted, hummed = network(noisy, _forget(phones), voice * len(WARPS) + warp)
        counted = (PAUSE_WEIGHT + (1 - PAUSE_WEIGHT) * speech)[:, :, None]
        frame_loss = ((predicted - wanted) ** 2 * weights * counted).mean()
        loss = frame_loss
        for frames, size in zip(MOVEMENTS, movement_scale, strict=True):
            off = (_moved(predicted, frames) - _moved(wanted, frames)) / size
            loss = loss + MOVEMENT_WEIGHT / len(MOVEMENTS) * (off**2 * weights * counted[:, frames:-frames]).mean()
        melody_loss = ((hummed - melody) ** 2 * sung).sum() / (sung.sum() + 1)
        loss = loss + MELODY_WEIGHT * melody_loss
        note(melody=melody_loss.item(), frame=frame_loss.item(), all=loss.item())
        if step >= schedule.steps:
            chosen = natural[voice]
            condition = torch.cat([x[chosen][:, :, :N_CEPSTRA_IN], x[chosen][:, :, N_CEPSTRA_IN : N_CEPSTRA_IN + 1], speech[chosen][:, :, None]], 2)
            real, made = wanted[chosen][:, :, :N_CEPSTRA], predicted[chosen][:, :, :N_CEPSTRA]
            real_score, _ = judge(real, condition)
            made_score, _ = judge(made.detach(), condition)
            judge_loss = ((real_score - 1) ** 2).mean() + (made_score**2).mean()
            judge_optimizer.zero_grad()
            judge_loss.backward()
            judge_optimizer.step()
            with torch.no_grad():
                _, real_seen = judge(real, condition)
            score, seen = judge(made, condition)
            adversarial = ((score - 1) ** 2).mean()
            features = sum(functional.l1_loss(a, b) for a, b in zip(seen, real_seen, strict=True))
            note(judge=judge_loss.item(), adversarial=adversarial.item(), features=features.item())
            ramp = min(1, (step - schedule.steps) / 300)
            balance = running["all"] / max(running["adversarial"], 1e-3)
            loss = loss + ramp * balance * JUDGED_WEIGHT * adversarial + ramp * 0.1 * FEATURES_WEIGHT * features
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        rates.step()
        if step % 100 == 99:
            log(f"step {step + 1} of {n_steps}: " + ", ".join(f"{name} {value:.4f}" for name, value in running.items()))
        if checkpoint and (step + 1) in checkpoint[0]:
            checkpoint[1](step + 1, _prior_of(prior, network, segments))
    return _prior_of(prior, network, segments)


def _prior_of(prior: Prior, network: Network, segments: _Segments) -> Prior:
    named = {
        "input_mean": segments.input_mean, "input_scale": segments.input_scale,
        "target_mean": segments.target_mean, "target_scale": segments.target_scale,
    }  # fmt: skip
    names = tuple(f"{name}*{warp}" for name in segments.names for warp in WARPS)
    return replace(prior, tensors=named | tensors_of(network), head_names=names)


def _forget(phones: torch.Tensor) -> torch.Tensor:
    """Some phones turned to 0, "unknown", whole segments of them and single ones."""
    phones = phones.clone()
    phones[torch.rand(len(phones)) < PHONES_FORGOTTEN] = 0
    phones[torch.rand(phones.shape) < PHONE_FORGOTTEN] = 0
    return phones


def tensors_of(network: Network) -> dict[str, np.ndarray]:
    named = {f"{name}_embedding": e.weight for name, e in zip(("phone", "previous", "next"), network.embeddings, strict=True)}
    named |= {"first_weight": network.first.weight.T, "first_bias": network.first.bias}
    for number, layer in enumerate(network.convolutions):
        named[f"convolution_{number}_weight"] = layer.weight.permute(2, 1, 0).reshape(-1, layer.weight.shape[0])
        named[f"convolution_{number}_bias"] = layer.bias
    named |= {"frames_weight": network.frames.weight.T, "frames_bias": network.frames.bias}
    named |= {"local_weight": network.local.weight.T, "melody": network.melody, "heads": network.heads}
    return {name: np.ascontiguousarray(tensor.detach().numpy()) for name, tensor in named.items()}
