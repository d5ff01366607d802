"""Claim about R: what docs/listening-results.md says of it runs on our table, and finds the differences that the report has."""

import re
import shutil
import subprocess

import pytest

from studio.listening.foreign.judged_files import JUDGED_FILES, judged_data
from studio.listening.foreign.judged_table import Asked
from tests.house.source_files import ROOT, text_of
from tests.listening.foreign.test_results_of_any_table import TABLES


@pytest.mark.slow
def test_the_model_in_r_finds_the_same_differences(tmp_path):
    r = shutil.which("Rscript")
    if r is None or subprocess.run([r, "-e", "library(lmerTest)"], capture_output=True, check=False).returncode:
        pytest.skip("there is no R with lmerTest")
    judged = judged_data(TABLES["plain"], Asked())
    (tmp_path / "votes.csv").write_bytes(JUDGED_FILES["tidy"].make(judged, lambda key, values: key, "en"))
    (script,) = re.findall(r"```r\n(.*?)```", text_of(ROOT / "docs/listening-results.md"), re.S)
    (tmp_path / "model.R").write_text(script, encoding="utf-8")
    told = subprocess.run([r, "model.R", "votes.csv"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    estimate = float(re.search(r"systemalpha - systembeta\s+(-?[\d.e-]+)", told)[1])
    (pair,) = judged.findings.pairs
    assert estimate == pytest.approx(pair.difference, abs=1e-3), told
