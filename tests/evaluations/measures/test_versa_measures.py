"""Claims about VERSA: both of its interfaces give figures, what is no number is none, and where it is not installed that is told."""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from engines.clips.clip import Clip
from studio.analysis import packages
from studio.evaluations.measures import versa_measures
from studio.evaluations.measures.lacking import MeasureLacking
from studio.evaluations.measures.versa_measures import VersaMeasures, check_versa
from tests.evaluations.measures.sounds import RATE, buzz

CONFIGURATION = "- name: pesq\n- name: whisper_wer\n  model_tag: tiny\n"
FOUND = {"pesq": np.float32(2.5), "whisper_hyp_text": "red", "sir": float("inf"), "is_speech": True, "n": 3}


class PlayedVersa(ModuleType):
    """opened: how its metrics were; asked: what each sound was judged with. answer: what is given or raised."""

    def __init__(self, monkeypatch, tmp_path, *, is_old: bool):
        super().__init__("versa.scorer_shared")
        self.opened, self.asked, self.answer = [], [], FOUND
        (tmp_path / "scorer_shared.py").touch()
        package = ModuleType("versa")
        package.scorer_shared = self
        monkeypatch.setitem(sys.modules, "versa", package)
        monkeypatch.setitem(sys.modules, "versa.scorer_shared", self)
        monkeypatch.setattr(versa_measures, "folder_of", lambda name: tmp_path)
        if is_old:
            self.use_score_modules = self._score

    def load_score_modules(self, score_config, use_gt=True, use_gt_text=False, use_gpu=False):
        self.opened.append(([one["name"] for one in score_config], use_gt, use_gt_text, use_gpu))
        return SimpleNamespace(compute_all=self._compute_all)

    def _score(self, score_modules, gen_wav, gt_wav, gen_sr, text=None):
        self.asked.append((gen_wav, gt_wav, gen_sr, text))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def _compute_all(self, predictions, references=None, metadata=None):
        found = self._score(None, predictions, references, metadata["sample_rate"], metadata["text"])
        return {"pesq": {"pesq": found["pesq"]}, "rest": {name: value for name, value in found.items() if name != "pesq"}, "broken": None}


@pytest.mark.parametrize("is_old", [True, False])
def test_numbers_become_figures_and_sounds_are_compared_at_one_rate(monkeypatch, tmp_path, is_old):
    played, measures = PlayedVersa(monkeypatch, tmp_path, is_old=is_old), VersaMeasures(CONFIGURATION)
    sound, reference = buzz(110), Clip(buzz(120).samples[::2], RATE // 2)
    for _ in range(2):
        assert measures.values(sound, reference, "red green") == {"versa.pesq": 2.5, "versa.n": 3}
    said, compared_with, rate, text = played.asked[0]
    assert (rate, text, said.dtype) == (RATE // 2, "red green", np.float64)
    assert abs(len(said) - len(compared_with)) <= 1
    measures.values(sound, None, "red green")
    assert played.asked[-1][1] is None and played.asked[-1][2] == RATE
    names = ["pesq", "whisper_wer"]
    assert played.opened == [(names, True, True, False), (names, False, True, False)], "once for each kind"


def test_what_fails_and_what_gives_nothing_is_told(monkeypatch, tmp_path):
    played, measures = PlayedVersa(monkeypatch, tmp_path, is_old=True), VersaMeasures(CONFIGURATION)
    for answer in (RuntimeError("no weights"), {"pesq": None}):
        played.answer = answer
        with pytest.raises(MeasureLacking, match="no figure"):
            measures.values(buzz(110), None, "")


def test_where_it_is_not_installed_that_is_told(monkeypatch):
    monkeypatch.setattr(packages, "find_spec", lambda name: None)
    assert not versa_measures.is_here()
    with pytest.raises(MeasureLacking, match="not installed"):
        VersaMeasures(CONFIGURATION).values(buzz(110), None, "")


@pytest.mark.parametrize("wrong", ["", "{", "pesq", "- pesq", "- {model: x}", "name: pesq"])
def test_a_configuration_is_a_list_of_named_metrics(wrong):
    with pytest.raises(ValueError, match="configuration of VERSA"):
        check_versa(wrong)
