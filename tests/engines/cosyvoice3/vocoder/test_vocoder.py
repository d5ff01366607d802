"""The vocoder: one formula over all frames is what it computes, however a stream is cut, from the first sample to the last."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
import torch
from torch import Tensor

from engines.cosyvoice3.config import VocoderConfig, released_config
from engines.cosyvoice3.vocoder import vocoder as vocoder_module
from engines.cosyvoice3.vocoder.harmonic_source import HarmonicSource
from engines.cosyvoice3.vocoder.vocoder import HiftVocoder, name_in_file
from engines.kit.codec.weight_norm import FoldedCheckpoint
from tests.engines.cosyvoice3.vocoder.plain_vocoder import PlainVocoder

RELEASED_SHAPE = replace(released_config("0.5B").vocoder, in_channels=12, base_channels=32, f0_channels=16)
# Other rates, kernels that no rate divides, spectra of which 8 overlap, a first convolution that looks 2 frames further than the pitch.
ODD_SHAPE = replace(
    RELEASED_SHAPE,
    in_channels=7,
    base_channels=24,
    nb_harmonics=3,
    upsample_rates=(3, 2),
    upsample_kernel_sizes=(4, 5),
    hop_len=2,
    resblock_kernel_sizes=(3, 4),
    resblock_dilation_sizes=((1, 2), (3,)),
    source_resblock_kernel_sizes=(5, 3),
    source_resblock_dilation_sizes=((1,), (2, 1)),
    conv_pre_look_right=5,
)
SHAPES = {"released": RELEASED_SHAPE, "odd": ODD_SHAPE, "loud": replace(RELEASED_SHAPE, audio_limit=1e6), "clipped": RELEASED_SHAPE}
LOUDNESS = {"released": 1, "odd": -0.4, "loud": 5, "clipped": 5}  # added to logarithms of magnitudes
MOST_FRAMES = 64
ROUNDING = 1e-6


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def table(config: VocoderConfig) -> Tensor:
    shape = (MOST_FRAMES, config.frame_samples, config.nb_harmonics + 1)
    return torch.rand(shape, generator=torch.Generator().manual_seed(5))


@cache
def weights(shape: str) -> dict[str, Tensor]:
    """Tame ones: signals keep their size, the pitch is now above and now below the threshold of voices."""
    made = {}
    for index, (name, slot) in enumerate(HiftVocoder(SHAPES[shape]).state_dict().items()):
        values, gain = drawn(*slot.shape, seed=index), 0.5 if ".convs" in name else 1.0
        is_matrix = values.ndim > 1
        made[name_in_file(name)] = gain * values / values[0].numel() ** 0.5 if is_matrix else 0.1 * values + (name.endswith("alpha"))
    made["f0_predictor.classifier.weight"] *= 100
    made["f0_predictor.classifier.bias"] += 40
    made["conv_post.bias"][: SHAPES[shape].n_fft // 2 + 1] += LOUDNESS[shape]
    return made


@cache
def vocoder(shape: str = "released") -> HiftVocoder:
    made = HiftVocoder(SHAPES[shape])
    made.load_state_dict({name: weights(shape)[name_in_file(name)] for name in made.state_dict()})
    made.prepare_weights()
    noise = table(made.config)
    made.m_source.noise = lambda frames: noise[frames]
    return made


def formula(shape: str) -> PlainVocoder:
    config = SHAPES[shape]
    first_turns = torch.linspace(0, 0.9, config.nb_harmonics + 1)
    return PlainVocoder(config, weights(shape), table(config), first_turns)


def mels(n_frames: int, batch: int = 1, seed: int = 0, shape: str = "released") -> Tensor:
    return drawn(batch, n_frames, SHAPES[shape].in_channels, seed=100 + seed)


def stream(network: HiftVocoder, mel: Tensor, sizes: list[int]) -> Tensor:
    """The samples of a stream whose pieces behind the first frames have these sizes."""
    first, *pieces = mel.split([network.lookahead_frames, *sizes], dim=1)
    state, sound = network.prime(first, network.initial_state(len(mel))), []
    for piece in pieces:
        samples, state = network.decode(piece, state)
        assert samples.shape == (len(mel), piece.shape[1] * network.config.frame_samples)
        sound.append(samples)
    return torch.cat([*sound, network.finish(state)], dim=1)


@pytest.mark.parametrize("shape", ["released", "odd"])
@torch.inference_mode()
def test_it_computes_the_formula_for_any_number_of_frames(shape):
    plain, network = formula(shape), vocoder(shape)
    for n_frames in [*range(1, 13), 40]:
        mel = mels(n_frames, batch=2, shape=shape)
        expected = plain(mel)
        assert 0.01 < expected.std() < expected.abs().max() < 0.9
        sound = network.whole(mel)
        assert sound.shape == (2, n_frames * network.config.frame_samples)
        assert (sound - expected).abs().max() < ROUNDING, n_frames
    assert 0.1 < (plain.pitch(mel.mT) > 10).float().mean() < 0.9  # both kinds of frames were among them


@torch.inference_mode()
def test_magnitudes_and_samples_have_limits():
    mel = mels(6, shape="loud")
    plain, network = formula("loud"), vocoder("loud")
    assert plain.rows(mel.mT)[:, :9].exp().max() > 100
    assert ((network.whole(mel) - plain(mel)).abs().max() / plain(mel).abs().max()) < 10 * ROUNDING
    quiet = vocoder("clipped").whole(mel)
    assert torch.equal(quiet, network.whole(mel).clamp(-0.99, 0.99))
    assert quiet.max() == -quiet.min() == torch.tensor(0.99)


@pytest.mark.parametrize("shape", ["released", "odd"])
@torch.inference_mode()
def test_pieces_of_any_size_give_what_the_whole_gives(shape):
    network = vocoder(shape)
    n_first = network.lookahead_frames
    for sizes in ([], [1], [9, 4], [1, 1, 2, 7, 1], [3] * 5, [55]):
        mel = mels(n_first + sum(sizes), batch=2, shape=shape)
        assert (stream(network, mel, sizes) - formula(shape)(mel)).abs().max() < ROUNDING, sizes


@torch.inference_mode()
def test_beginning_and_end_may_come_with_other_frames():
    network, mel = vocoder(), mels(21, batch=2)
    expected = formula("released")(mel)
    for n_first, n_last in ((5, 1), (9, 3), (12, 9)):
        first, *between, last = mel.split([n_first, *[21 - n_first - n_last] * (n_first + n_last < 21), n_last], dim=1)
        sound, state = network.begin(first, network.initial_state(2))
        assert sound.shape[1] == (n_first - 5) * 480
        for piece in between:
            samples, state = network.decode(piece, state)
            sound = torch.cat([sound, samples], dim=1)
        assert (torch.cat([sound, network.finish(state, last)], dim=1) - expected).abs().max() < ROUNDING, (n_first, n_last)


@torch.inference_mode()
def test_cuts_of_long_input_leave_no_seam(monkeypatch):
    network, mel = vocoder(), mels(30, batch=2)
    expected, state = formula("released")(mel), network.prime(mel[:, :5], network.initial_state(2))
    monkeypatch.setattr(vocoder_module, "MOST_FRAMES_AT_ONCE", 7)
    assert (network.whole(mel) - expected).abs().max() < ROUNDING
    assert (network.decode(mel[:, 5:], state)[0] - expected[:, : 25 * 480]).abs().max() < ROUNDING


@torch.inference_mode()
def test_audio_comes_as_early_as_the_frames_that_it_depends_on_allow():
    network, mel = vocoder(), mels(20)
    n_ahead, n_samples = network.lookahead_frames, network.config.frame_samples
    assert n_ahead == 5
    other = mel.clone()
    other[:, 12] += 1
    cut = [(12 - n_ahead) * n_samples, (8 + n_ahead) * n_samples]
    (same, differs), (before, after) = (network.whole(x).split(cut, dim=1) for x in (mel, other))
    assert torch.equal(same, before)
    assert not torch.equal(differs[:, :n_samples], after[:, :n_samples])


@torch.inference_mode()
def test_streams_of_a_batch_do_not_hear_each_other():
    network, mel = vocoder(), mels(15, batch=3)
    together = stream(network, mel, [4, 6])
    for index, one in enumerate(mel):
        assert (stream(network, one[None], [4, 6])[0] - together[index]).abs().max() < ROUNDING
    others = torch.cat([mel[:1], mels(15, batch=2, seed=1)])
    assert torch.equal(stream(network, others, [4, 6])[0], together[0])


@torch.inference_mode()
def test_a_state_is_all_that_is_remembered_and_is_only_read():
    network, mel = vocoder(), mels(14)
    state = network.prime(mel[:, :5], network.initial_state())
    _, state = network.decode(mel[:, 5:8], state)
    kept = state.copy()
    expected, after = network.decode(mel[:, 8:], state)
    network.decode(mels(6, seed=3), state)
    assert all(torch.equal(one, other) for one, other in zip(state.tensors, kept.tensors, strict=True))
    sound, again = network.decode(mel[:, 8:], kept)
    assert torch.equal(sound, expected)
    assert torch.equal(network.finish(again), network.finish(after))


@torch.inference_mode()
def test_states_keep_their_shapes_and_hold_nothing_but_their_own_numbers():
    network = vocoder("odd")
    first = network.initial_state(2)
    primed = network.prime(mels(6, batch=2, shape="odd"), first)
    _, after = network.decode(mels(4, batch=2, shape="odd"), primed)
    for state in (primed, after):
        assert [(x.shape, x.dtype) for x in state.tensors] == [(x.shape, x.dtype) for x in first.tensors]
        assert [x.untyped_storage().nbytes() for x in state.tensors] == [x.nbytes for x in state.tensors]
    first.copy_(after)
    assert torch.equal(network.finish(first), network.finish(after))


def test_another_number_of_first_frames_is_refused():
    network = vocoder()
    for n_frames in (4, 6):
        with pytest.raises(ValueError, match="begins with 5"):
            network.prime(mels(n_frames), network.initial_state())


def test_a_first_convolution_that_sees_no_further_than_the_pitch_is_refused():
    with pytest.raises(ValueError, match="conv_pre_look_right is 3"):
        HiftVocoder(replace(ODD_SHAPE, conv_pre_look_right=3))


@torch.inference_mode()
def test_phases_stay_exact_for_minutes():
    """Sums of fractions are exact; a wrapped sum of float64 loses nothing that is heard."""
    source = HarmonicSource(ODD_SHAPE)
    source.prepare_weights()
    source.noise = lambda frames: torch.zeros(*frames.shape, 12, 4)
    pitch = 150 + 100 * torch.rand(1, 40_000, generator=torch.Generator().manual_seed(0))
    phase, n_frames = torch.zeros(1, 4, dtype=torch.float64), torch.zeros(1, 1, dtype=torch.int64)
    for piece in pitch.split(10_000, dim=1):
        _, phase = source(piece, phase, n_frames)
        n_frames += piece.shape[1]
    for number in (1, 4):
        turns = (pitch[0] * number / ODD_SHAPE.sampling_rate % 1).tolist()
        exact = sum(map(Fraction, turns)) * ODD_SHAPE.frame_samples % 1
        assert abs(phase[0, number - 1].item() - float(exact)) < 1e-9


@torch.inference_mode()
def test_noise_is_uniform_and_a_function_of_the_frame():
    source = HarmonicSource(RELEASED_SHAPE)
    source.prepare_weights()
    noise = source.noise(torch.tensor([[0, 1, 2], [1, 7, 0]]))
    assert noise.shape == (2, 3, 480, 9)
    assert torch.equal(noise[0, 1], noise[1, 0])
    assert torch.equal(noise[0, 0], noise[1, 2])
    assert len(noise[:, :2].flatten().unique()) > 0.999 * 3 * 480 * 9
    assert noise.min() >= 0 and noise.max() <= 1
    assert abs(noise.mean() - 1 / 2) < 0.01 and abs(noise.var() - 1 / 12) < 0.003


@torch.inference_mode()
def test_it_is_read_from_a_file_of_weight_norms_as_the_released_one(tmp_path):
    file = {}
    for name, values in weights("odd").items():
        if name.endswith(".weight") and not name.startswith(("source_downs", "m_source", "f0_predictor.classifier")):
            gain = values.flatten(1).norm(dim=1).view(-1, 1, 1)
            file[name.replace(".weight", ".parametrizations.weight.original0")] = gain
            file[name.replace(".weight", ".parametrizations.weight.original1")] = 3 * values
        else:
            file[name] = values
    torch.save({f"generator.{name}": values.clone() for name, values in file.items()}, tmp_path / "hift.pt")
    with torch.device("meta"):
        network = HiftVocoder(ODD_SHAPE)
    with FoldedCheckpoint(tmp_path / "hift.pt", strip=("generator.",)) as checkpoint:
        checkpoint.load_into(network, rename=name_in_file, device=torch.device("cpu"))
        network.prepare_weights()
        checkpoint.check_all_used()
    network.m_source.noise = vocoder("odd").m_source.noise
    mel = mels(9, shape="odd")
    assert (network.whole(mel) - vocoder("odd").whole(mel)).abs().max() < ROUNDING
