"""The configuration files: what they must say, which sampler follows, and what is refused before any weight is read."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from engines.dots import PACKAGE
from engines.dots.config import SIZES, DotsConfig, MeanFlowConfig, Sampler, released_config
from engines.dots.networks import read_networks
from engines.dots.options import LANGUAGES, TAGS
from engines.errors import CheckpointInvalid
from tests.engines.dots.random_checkpoint import write_stats
from tests.engines.dots.tiny_checkpoint import KINDS, write_tiny_checkpoint
from tests.released.release import FACTS

MF2 = Sampler("consistency", 2, is_locked=True, tau_mid=1.3)
SAMPLERS = {
    "soar": Sampler("flow", 10, guidance=1.2), "edit": Sampler("flow", 10, guidance=1.2),
    "mf": Sampler("mean_flow", 4, tells_length=True), "mf-1step": Sampler("flow", 1, is_locked=True), "mf-2steps": MF2,
    "stts": MF2, "stts-even": MF2,
}  # fmt: skip


@pytest.fixture
def folder(tmp_path) -> Path:
    for name in ("config.json", "llm_config.json"):
        shutil.copyfile(FACTS / "dots" / name, tmp_path / name)
    return tmp_path


def change(folder: Path, edit: Callable[[dict], object], name: str = "config.json") -> None:
    content = json.loads((folder / name).read_text())
    edit(content)
    (folder / name).write_text(json.dumps(content))


def test_the_configuration_as_code_is_that_of_the_released_files(folder):
    assert DotsConfig.read(folder) == released_config("2B-mf")
    change(folder, lambda content: content.pop("meanflow"))
    assert DotsConfig.read(folder) == released_config("2B")
    assert {released_config(size).patch_samples for size in SIZES} == {7680}


@pytest.mark.parametrize("kind", KINDS)
def test_the_sampler_follows_from_what_the_file_says(folder, kind):
    change(folder, lambda content: (content.pop("meanflow"), content.update(KINDS[kind])))
    assert DotsConfig.read(folder).sampler == SAMPLERS[kind]


def test_sampling_goes_before_meanflow_whose_tensors_are_there_nonetheless(folder):
    change(folder, lambda content: content.update(KINDS["mf-2steps"]))
    config = DotsConfig.read(folder)
    assert config.has_lengths and not replace(config, meanflow=MeanFlowConfig(True, False)).has_lengths
    assert config.sampler == MF2


def test_a_language_model_may_be_told_as_either_transformers_tells_it(folder):
    before = DotsConfig.read(folder)
    change(
        folder, lambda c: (c.pop("rope_theta"), c.update(rope_parameters={"rope_type": "default", "rope_theta": 1e6})), "llm_config.json"
    )
    change(folder, lambda content: content.pop("head_dim"), "llm_config.json")
    assert DotsConfig.read(folder) == before


@pytest.mark.parametrize(
    ("edit", "named"),
    [
        (lambda c: c.update(model_type="voxcpm"), "model_type"),
        (lambda c: c.update(fm_sigma=1e-5), "fm_sigma"),
        (lambda c: c.update(sampling={"solver": "scm", "num_steps": 1}), "1 steps"),
        (lambda c: c.update(sampling={"solver": "dpm"}), "dpm"),
        (lambda c: c.update(sampling={"solver": "scm", "guidance_scale": 1.2}), "guidance_scale"),
        (lambda c: c.update(sampling={"solver": "scm", "eta": 0.5}), "eta"),
        (lambda c: c["PatchEncoder"].pop("norm_layer"), "norm_layer"),
        (lambda c: c["DiT"].update(qk_norm=False), "qk_norm"),
        (lambda c: c["DiT"].pop("qk_norm"), "qk_norm"),
        (lambda c: c["DiT"].update(num_heads=3), "heads"),
        (lambda c: c["vocoder"].update(use_tanh_at_final=True), "use_tanh_at_final"),
        (lambda c: c["vocoder"].pop("causal"), "causal"),
        (lambda c: c["vocoder"].update(num_decoder_lookahead=3), "num_decoder_lookahead"),
        (lambda c: c["vocoder"].update(resblock_dilation_sizes=[[1, 2, 3]]), "resblock_dilation_sizes"),
        (lambda c: c["vocoder"].update(upsample_rates=[10, 6, 4, 2, 2, 1]), "samples of a recording"),
        (lambda c: c["vocoder"].update(downsample_channels=[16, 24, 48, 96, 192, 384, 768]), "downsample_channels"),
        (lambda c: c["vocoder"].update(latent_dim=64), "latents have 64"),
        (lambda c: c.update(patch_size=2), "patches of 2"),
        (lambda c: c.pop("DiT"), "DiT"),
    ],
)
def test_what_is_not_implemented_is_refused_by_name(folder, edit, named):
    change(folder, edit)
    with pytest.raises(CheckpointInvalid, match=named) as refused:
        DotsConfig.read(folder)
    assert refused.value.hint


def test_statistics_are_read_as_arrays_and_as_tensors_and_nothing_else_is_run(tmp_path):
    read = []
    for kind in ("numpy", "tensors"):
        folder = write_tiny_checkpoint(tmp_path / kind, stats=kind)
        read.append(read_networks(folder, torch.device("meta"), torch.float32).stats.mean.shape)
    assert read == [(8,), (8,)]
    for content in ({"mean": torch.zeros(8), "var": torch.zeros(8)}, {"mean": torch.zeros(8)}, torch.zeros(8), {"mean": print, "var": 1}):
        torch.save(content, folder / "latent_stats.pt")
        with pytest.raises(CheckpointInvalid, match=r"latent_stats\.pt"):
            read_networks(folder, torch.device("meta"), torch.float32)
    write_stats(folder, 9)
    with pytest.raises(CheckpointInvalid, match="of 8 values"):
        read_networks(folder, torch.device("meta"), torch.float32)


def test_every_language_has_a_tag():
    assert set(TAGS) == set(LANGUAGES) == set(PACKAGE.info.languages)
    assert (TAGS["zh"], TAGS["yue"], len(LANGUAGES)) == ("ZH", "口音:粤语", 24)
