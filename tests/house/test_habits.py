"""Habits of the repository: what contributors are told is there, and workflows, forms and hooks parse and call what exists."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
import warnings
from functools import cache
from pathlib import Path

import pytest
import yaml

from tests.house.source_files import ROOT, imports, text_of, tracked
from tests.mutations import MUTATIONS, place_of

BIN = Path(sys.executable).parent
GITHUB = ROOT / ".github"
SCHEMAS = {
    "vendor.github-workflows": "workflows/*.yml",
    "custom.github-workflows-require-timeout": "workflows/*.yml",
    "vendor.github-issue-forms": "ISSUE_TEMPLATE/[!c]*.yml",
    "vendor.github-issue-config": "ISSUE_TEMPLATE/config.yml",
}
MOST_CONTRIBUTING_LINES = 120
SAID = (
    "tests/house",
    "make test",
    "make test-fast",
    "make check",
    "begins with the test that fails",
    "engines/README.md",
    "Apache-2.0",
    "pull request",
)
SAYS_ITS_WORDS = "import shlex, sys; print(shlex.join(sys.orig_argv[1:]))"
ROOMS = ("tests/studio", "tests/api", "tests/ui", "tests/listening", "tests/house", "tests/engines/test_contract.py")
QUICK = {
    "the studio": ([], (*ROOMS, "not slow and not again and not browser", "not test_contract or espeak or fake"), len(ROOMS)),
    "an engine": (["ROOM=qwen3_tts"], ("tests/engines/qwen3_tts", "tests/parity/qwen3_tts", "tests/engines/test_decoder_laws.py"), 20),
    "a folder": (["ROOM=api"], ("tests/api",), 1),
}
KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}  # of Keep a Changelog
# GitHub reads `on` as a word; YAML 1.1 reads it as true.
ON = True


@cache
def workflow(name: str) -> dict:
    return yaml.safe_load(text_of(GITHUB / "workflows" / f"{name}.yml"))


@cache
def hooks() -> dict[str, dict]:
    (local,) = yaml.safe_load(text_of(ROOT / ".pre-commit-config.yaml"))["repos"]
    assert local["repo"] == "local", "a hook of another place is fetched"
    return {hook["id"]: hook for hook in local["hooks"]}


@cache
def recipes() -> dict[str, str]:
    """Of the Makefile: what each target runs."""
    found = re.findall(r"^([\w-]+):(?!=).*\n((?:[\t].*\n)*)", text_of(ROOT / "Makefile"), re.MULTILINE)
    return dict(found)


def steps(job: dict, key: str) -> list[str]:
    return [step[key] for step in job["steps"] if key in step]


@pytest.mark.slow
@pytest.mark.parametrize("schema", SCHEMAS)
def test_github_takes_its_files(schema):
    files = sorted(GITHUB.glob(SCHEMAS[schema]))
    ran = subprocess.run([BIN / "check-jsonschema", "--builtin-schema", schema, *files], capture_output=True, text=True, check=False)
    assert files and ran.returncode == 0, ran.stdout + ran.stderr


def test_ci_calls_what_the_repository_calls_on_every_python():
    (job,) = [job for job in workflow("test")["jobs"].values() if "strategy" in job]
    matrix = job["strategy"]["matrix"]
    assert (matrix["system"], matrix["python"], matrix["target"]) == (["ubuntu"], ["3.11", "3.12", "3.13", "3.14"], ["test"])
    assert [(other["system"], other["target"]) for other in matrix["include"]] == [("macos", "test-fast"), ("windows", "test-fast")]
    assert {other["python"] for other in matrix["include"]} <= set(matrix["python"]) and not job["strategy"]["fail-fast"]
    assert job["runs-on"] == "${{ matrix.system }}-latest"
    assert steps(job, "run") == ["bash .ci/run ${{ matrix.target }}"]
    assert [step["with"]["python-version"] for step in job["steps"] if "setup-python" in step.get("uses", "")] == ["${{ matrix.python }}"]
    assert re.search(r"^  exec make ", text_of(ROOT / ".ci/run"), re.MULTILINE)
    oldest = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]["requires-python"]
    assert oldest == f">={matrix['python'][0]}"


def test_make_and_a_system_without_it_run_the_same_checks(tmp_path):
    quick = " $(if $(ROOM),ROOM=$(ROOM)) $(ARGS)"
    for target, further in (("lint", ""), ("test", " $(ARGS)"), ("test-fast", " $(ARGS)"), ("coverage", " $(ARGS)"), ("quick", quick)):
        assert f"\t$(CHECKS) {target}{further}\n" in recipes()[target]
    assert re.search(r"^CHECKS := \$\(BIN\)/python \.ci/checks\.py$", text_of(ROOT / "Makefile"), re.MULTILINE)
    assert '.venv/Scripts/python .ci/checks.py "${1:-test}"' in text_of(ROOT / ".ci/run")


@pytest.mark.slow
def test_a_linter_without_a_file_for_the_system_is_left_out_in_a_sentence(tmp_path):
    """By an environment whose other linters find nothing, and no npm that could fetch one."""
    (tmp_path / "python").symlink_to(sys.executable)
    (tmp_path / "ruff").symlink_to("/bin/true")

    def lint() -> tuple[int, str]:
        command = [tmp_path / "python", ROOT / ".ci/checks.py", "lint"]
        ran = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, env={**os.environ, "PATH": str(tmp_path)})
        return ran.returncode, ran.stdout

    left_out = [f"{name} has no file for this system, so that what it checks is left out here.\n" for name in ("biome", "tsc")]
    assert lint() == (0, "".join(left_out))
    for name in ("biome", "tsc"):
        (tmp_path / name).symlink_to("/bin/false")
        assert lint()[0] == 1
        (tmp_path / name).unlink()
        (tmp_path / name).symlink_to("/bin/true")


@pytest.mark.parametrize(("room", "words", "most"), QUICK.values(), ids=QUICK)
def test_quick_asks_pytest_for_what_guards_the_studio_or_one_room(tmp_path, room, words, most):
    """By one in its place that says what it is asked. Each place of it is there."""
    (tmp_path / "pytest.py").write_text(SAYS_ITS_WORDS, encoding="utf-8")
    asked = [sys.executable, ROOT / ".ci/checks.py", "quick", *room, "--maxfail=1"]
    ran = subprocess.run(asked, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, encoding="utf-8", check=False)
    said = shlex.split(ran.stdout)
    assert ran.returncode == 0 and said[:2] == ["-m", "pytest"] and said[-1] == "--maxfail=1", ran.stderr
    assert set(words) <= set(said)
    places = [word for word in said if word.startswith("tests/")]
    assert len(places) <= most and all((ROOT / place).exists() for place in places)


def test_quick_of_no_room_says_so():
    ran = subprocess.run(
        [sys.executable, ROOT / ".ci/checks.py", "quick", "ROOM=attic"], capture_output=True, encoding="utf-8", check=False
    )
    assert (ran.returncode, ran.stderr) == (1, "There are no tests of 'attic'.\n")


def test_a_warning_is_an_error_unless_a_package_does_what_will_go_away():
    """By pytest's filters, as pyproject.toml has them: on a newer Python packages are not all ready, and we are."""
    ours, theirs = ("app", "engines.clips.clip", "studio", "tests.house.test_habits"), ("gradio.utils", "appdirs", "enginesx.y")
    for kind in (DeprecationWarning, PendingDeprecationWarning):
        for module in ours:
            with pytest.raises(kind):
                warnings.warn_explicit("goes away", kind, "file.py", 1, module)
        with warnings.catch_warnings(record=True) as told:
            for module in theirs:
                warnings.warn_explicit("goes away", kind, "file.py", 1, module)
        assert len(told) == len(theirs)
    for kind in (UserWarning, RuntimeWarning, ResourceWarning):
        with pytest.raises(kind):
            warnings.warn_explicit("is wrong", kind, "file.py", 1, theirs[0])


def test_make_takes_the_python_of_the_workflow():
    assert workflow("test")["env"]["PYTHON"] == workflow("coverage")["env"]["PYTHON"] == "python"
    ran = subprocess.run(
        ["make", "--dry-run", "--always-make", "setup"],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "PYTHON": "python"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "python -m venv .venv" in ran.stdout and "python3 -m venv" not in ran.stdout


def test_lint_and_site_and_clients_have_a_job_and_coverage_a_workflow_of_its_own():
    assert "make lint types docs" in steps(workflow("test")["jobs"]["lint-and-docs"], "run")
    assert "make test-clients ARGS=--all-clients" in steps(workflow("test")["jobs"]["clients"], "run")
    assert set(workflow("coverage")[ON]) == {"schedule", "workflow_dispatch"}
    (job,) = workflow("coverage")["jobs"].values()
    assert steps(job, "run") == ["make coverage", 'cat out/coverage/table.md >> "$GITHUB_STEP_SUMMARY"']
    assert "$(CHECKS) coverage" in recipes()["coverage"] and "--cov-report=markdown:out/coverage/table.md" in text_of(
        ROOT / ".ci/checks.py"
    )
    assert "fail_under" not in text_of(ROOT / "pyproject.toml")
    assert "mkdocs build --strict" in recipes()["docs"]


@pytest.mark.parametrize("name", ["test", "coverage"])
def test_a_workflow_may_read_only_and_pins_what_it_uses(name):
    assert workflow(name)["permissions"] == {"contents": "read"}
    for job in workflow(name)["jobs"].values():
        assert all(re.fullmatch(r"[\w.-]+/[\w.-]+@(v\d+(\.\d+)*|[0-9a-f]{40})", used) for used in steps(job, "uses"))
        (python,) = [step["with"] for step in job["steps"] if "setup-python" in step.get("uses", "")]
        assert python["cache"] == "pip" and list(ROOT.glob(python["cache-dependency-path"]))


def test_hooks_run_what_there_is():
    assert {"ruff-format", "ruff-check", "biome", "house"} <= hooks().keys()
    names = {Path(line.partition("==")[0]).name for line in text_of(ROOT / "requirements-dev.txt").splitlines()}
    assert "pre-commit" in names
    for hook in hooks().values():
        command = shlex.split(hook["entry"])
        assert hook["language"] == "system" and command[0].startswith(".venv/bin/"), hook["id"]
        assert hook["id"] == "biome" or (BIN / Path(command[0]).name).exists(), "it alone has no file for some systems"
        assert all((ROOT / word).exists() for word in command if word.startswith("tests/")), hook["id"]
        places = [str(file.relative_to(ROOT)) for file in tracked("*.py", "*.js", "*.css", "*.jsonc", "*.md")]
        assert any(re.search(hook.get("files", ""), place) for place in places), hook["id"]


def test_contributing_says_how_and_every_command_and_place_in_it_exists():
    text = text_of(ROOT / "CONTRIBUTING.md")
    assert len(text.splitlines()) <= MOST_CONTRIBUTING_LINES
    assert not [words for words in SAID if words not in text]
    for target in re.findall(r"`make ([\w-]+)`", text):
        assert target in recipes(), target
    for named in re.findall(r"`((?:tests|studio|engines|assets|\.ci)(?:/[\w./-]+)?)/?`", text):
        assert (ROOT / named).exists(), named


def test_every_target_of_the_makefile_that_people_call_stands_at_its_top():
    top = text_of(ROOT / "Makefile").split("PYTHON ?=")[0]
    for target in recipes().keys() - {"setup", "setup-dev", "browser", "lint"}:
        assert re.search(rf"^# make {target}\b", top, re.MULTILINE), target


def test_the_policy_of_security_tells_the_way_and_names_settings_that_there_are():
    text = text_of(ROOT / "SECURITY.md")
    assert "private vulnerability reporting" in text
    readme = text_of(ROOT / "README.md")
    assert all(f"`{name}`" in readme for name in re.findall(r"`(STUDIO_[A-Z_]+)`", text))
    headings = re.findall(r"^## (.*)$", text_of(ROOT / "studio/README.md"), re.MULTILINE)
    assert set(re.findall(r'"([A-Z][a-z ]+)"', text)) <= set(headings)


def test_the_changelog_is_cut_into_versions():
    _, *versions = re.split(r"^## ", text_of(ROOT / "CHANGELOG.md"), flags=re.MULTILINE)
    assert versions[0].startswith("[Unreleased]\n")
    dated = [re.match(r"\[(\d+)\.(\d+)\.(\d+)\] - (\d{4}-\d\d-\d\d)\n", version) for version in versions[1:]]
    assert all(dated), "a version is [1.2.3] - 2026-01-31"
    numbers = [tuple(map(int, found.groups()[:3])) for found in dated]
    assert numbers == sorted(set(numbers), reverse=True) and (days := [found[4] for found in dated]) == sorted(days, reverse=True)
    kinds = [re.findall(r"^### (.*)$", version, re.MULTILINE) for version in versions]
    assert all(set(found) <= KINDS and len(found) == len(set(found)) for found in kinds)
    told = re.findall(r"^- .*", "".join(versions), re.MULTILINE)
    assert not [line for line in set(told) if told.count(line) > 1]


@pytest.mark.slow
def test_a_program_that_a_test_starts_speaks_by_the_embedded_engine_where_nobody_names_one():
    """Else what else is installed on a machine would decide what hundreds of tests hear, and how long they take."""
    named = {"tests/server/test_zero_gpu_wheel.py"}  # its program names its engine
    shown = {"tests/browser/screens/take_screenshots.py"}  # what people see
    starting = {str(file.relative_to(ROOT)) for file in tracked("tests/*.py") if "studio.measure.server.server_process" in imports(file)}
    assert starting == {"tests/stand_ins/server_process.py", *named, *shown}


def test_every_mutation_finds_its_line_and_its_tests():
    """What `python -m tests.mutations` would change, which takes an hour to try."""
    assert [name for name, one in MUTATIONS.items() if place_of(one, ROOT) is None] == []
    assert {test for one in MUTATIONS.values() for test in one.tests if not (ROOT / test).exists()} == set()
