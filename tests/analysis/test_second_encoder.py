"""The second encoder hears what is said and nothing else, and with the released weights tells voices apart as they do upstream."""

from importlib.util import find_spec, module_from_spec, spec_from_file_location

import numpy as np
import pytest
import torch

from engines.clips.clip import Clip
from engines.kit.speaker.campplus import RELEASED_CAMPPLUS, CampPlus
from engines.kit.speaker.mel import RATE_HZ
from engines.kit.speaker.speaker_encoder import spoken_samples
from engines.kit.speaker.trained_campplus import TrainedEncoder
from studio.analysis import packages, second_encoder
from studio.analysis.second_encoder import PACKAGE, WEIGHTS, SecondEncoder, is_here
from studio.speakers.demo import demo_recording
from tests.engines.kit.speaker.trained_weights import unfolded
from tests.stand_ins.vocoded_speaker import vocoded_speaker


@pytest.fixture(scope="module")
def demo() -> Clip:
    return demo_recording().clip


def test_an_embedding_is_of_unit_length_and_of_what_is_said(monkeypatch, tmp_path, demo):
    torch.manual_seed(6)
    path = tmp_path / WEIGHTS
    path.parent.mkdir(parents=True)
    torch.save(unfolded(CampPlus(RELEASED_CAMPPLUS).state_dict()), path)
    monkeypatch.setattr(second_encoder, "folder_of", lambda package: tmp_path)
    assert is_here()
    encoder = SecondEncoder()
    silence = np.zeros(2 * demo.sample_rate, np.float32)
    longer = Clip(np.concatenate([silence, demo.samples, silence]), demo.sample_rate)
    spoken = spoken_samples(longer)
    assert len(spoken) / RATE_HZ < demo.seconds
    heard, vector = encoder.embedding(longer), TrainedEncoder(path).vector(spoken)
    assert heard.shape == (192,) and heard.dtype == np.float32
    assert heard == pytest.approx(vector / np.linalg.norm(vector), abs=1e-6)
    assert encoder.likeness(demo, longer) == pytest.approx(1, abs=0.02)
    assert encoder.likeness(demo, Clip(silence, demo.sample_rate)) is None


def test_where_the_package_is_not_there_is_no_encoder(monkeypatch):
    monkeypatch.setattr(second_encoder, "folder_of", lambda package: None)
    assert not is_here()
    with pytest.raises(FileNotFoundError):
        SecondEncoder()


@pytest.mark.skipif(not find_spec(PACKAGE), reason="the judge's package is not installed: make judge")
def test_the_released_weights_hear_what_the_package_hears_and_tell_voices_apart(monkeypatch, demo):
    monkeypatch.setattr(packages, "find_spec", find_spec)  # other than elsewhere: what is installed is there
    folder = packages.folder_of(PACKAGE)
    spec = spec_from_file_location("camplusplus", folder / "camplusplus.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    theirs = module.CAMPPlus(feat_dim=80, embedding_size=192).eval()
    theirs.load_state_dict(torch.load(folder / WEIGHTS, map_location="cpu", weights_only=True))
    bank = torch.randn(1, 333, 80, generator=torch.Generator().manual_seed(8))
    with torch.inference_mode():
        # Upstream ends with a batch norm; the package's copy of it has a ReLU behind.
        torch.testing.assert_close(TrainedEncoder(folder / WEIGHTS).network(bank).relu(), theirs(bank)[0], rtol=1e-3, atol=1e-4)
    middle = len(demo.samples) // 2
    halves = [Clip(half, demo.sample_rate) for half in (demo.samples[:middle], demo.samples[middle:])]
    encoder = SecondEncoder()
    assert encoder.likeness(*halves) > 0.7 and encoder.likeness(demo, vocoded_speaker()) < 0.5
