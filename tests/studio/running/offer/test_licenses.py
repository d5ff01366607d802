"""Licences that forbid uses: accepted once per studio, before weights are fetched, whoever asks for them."""

from dataclasses import replace

import pytest

from engines.contract.license import License
from studio.errors import LicenseNotAccepted
from studio.running.failure_report import failure_report
from studio.running.lifecycle import EngineStatus
from studio.running.offer.weights import AcceptedLicenses, Weights
from tests.stand_ins import heavy_package
from tests.stand_ins.fake_engine import INFO

STRICT = replace(heavy_package.INFO, licenses=(License("CC-BY-NC-4.0"),), restriction="commercial use")


@pytest.fixture
def source(tmp_path):
    return heavy_package.source(heavy_package.make_remote(tmp_path / "hub"))


@pytest.mark.parametrize("ask", ["begin", "bring"])
def test_no_weights_are_fetched_before_and_all_are_afterwards(source, ask):
    licenses = AcceptedLicenses()
    weights = Weights({"heavy": STRICT}, {"heavy": source}, licenses=licenses)
    with pytest.raises(LicenseNotAccepted, match=r"forbid commercial use \(licence: CC-BY-NC-4\.0\)"):
        getattr(weights, ask)("heavy")
    assert weights.status("heavy").state == "absent"
    licenses.accept(STRICT)
    weights.bring("heavy")
    assert weights.status("heavy").state == "ready"


def test_what_is_here_already_needs_no_acceptance(source):
    Weights({"heavy": heavy_package.INFO}, {"heavy": source}).bring("heavy")
    Weights({"heavy": STRICT}, {"heavy": source}).bring("heavy")


def test_acceptance_outlives_a_restart_and_other_terms_are_asked_for_again(tmp_path):
    file = tmp_path / "data" / "licences.json"
    AcceptedLicenses(file).accept(STRICT)
    again = AcceptedLicenses(file)
    assert again.holds(STRICT) and again.holds(INFO)
    assert not again.holds(replace(STRICT, restriction="any use but research"))
    assert [path.name for path in file.parent.iterdir()] == ["licences.json"]


def test_studios_on_one_folder_know_what_each_was_told_and_write_over_none_of_it(tmp_path):
    one, other = AcceptedLicenses(tmp_path / "licences.json"), AcceptedLicenses(tmp_path / "licences.json")
    one.accept(STRICT)
    assert other.holds(STRICT)
    further = replace(STRICT, id="further")
    other.accept(further)
    one.accept(replace(STRICT, id="third"))
    assert all(AcceptedLicenses(tmp_path / "licences.json").holds(replace(STRICT, id=name)) for name in ("heavy", "further", "third"))


@pytest.mark.parametrize("content", ["", "[]", '{"heavy": 1}', "\x00"])
def test_a_file_that_cannot_be_read_accepts_nothing_and_stops_nothing(tmp_path, content):
    (tmp_path / "licences.json").write_text(content)
    licenses = AcceptedLicenses(tmp_path / "licences.json")
    assert not licenses.holds(STRICT)
    licenses.accept(STRICT)
    assert AcceptedLicenses(tmp_path / "licences.json").holds(STRICT)


def test_an_operator_accepts_by_a_setting():
    assert AcceptedLicenses(by_settings=("heavy",)).holds(STRICT)


def test_a_failed_engines_report_names_versions_and_device_and_neither_path_nor_secret():
    reason = "Fake failed: /home/ana/models/x.bin, token hf_abcdefghij, key sesame, at 0x7f00aa11."
    report = failure_report(EngineStatus(INFO, "failed", reason, "Try again."), "cuda:0", ("friends:sesame",))
    assert report.splitlines()[0] == "Engine: Fake (fake), failed" and "Device: cuda:0" in report and "Next step: Try again." in report
    assert "Python 3." in report and "torch " in report
    assert not any(word in report for word in ("/home", "ana", "hf_", "sesame", "0x7f"))
