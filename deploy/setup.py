"""Sets an environment up by uv, else by pip: says what it fetches before it fetches, with sizes, and shows what is left.

    .venv/bin/python deploy/setup.py run        # what the studio runs on; other parts: dev, scale, ears, prior
      --torch auto|cpu|cuda|rocm|xpu|pypi|URL   # whose PyTorch; also a backend of uv's such as cu128, or the address of an index
      --by auto|uv|pip                          # auto: uv, and pip where uv cannot be had

It installs into the environment whose Python runs it, and needs nothing that Python does not bring. What is installed, or in a cache, is
not fetched again: a set-up that broke off goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from ast import literal_eval
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
OLDEST_PYTHON = (3, 11)
TORCH_PACKAGES = ("torch", "torchaudio")
BUILD_OF_TORCH = re.compile(r"(torch|torchaudio|triton|nvidia-[\w-]+|cuda-[\w-]+)==")  # what differs between builds of PyTorch
BACKENDS = {"cuda": ("nvidia-smi", "cu130"), "rocm": ("rocm_agent_enumerator", "rocm7.2")}  # -> what tells the driver's, and uv's name
ANSWER_SECONDS = 3
UNPACKED, LIGHT_BYTES = 1.6, 0.75e9  # 3.0 GB with CUDA become 5.4 on the disk, 0.5 without it 1.5: what is light grows most
# uv reads none of pip's configuration. This is how its keys are called there, and how uv's variables are called by pip.
UV_OPTIONS = {"index-url": "--default-index", "extra-index-url": "--index", "find-links": "--find-links", "constraint": "--constraints"}
UV_VARIABLES = {"cert": "SSL_CERT_FILE", "proxy": "ALL_PROXY", "timeout": "UV_HTTP_TIMEOUT", "trusted-host": "UV_INSECURE_HOST"}
PIP_OPTIONS = {"UV_DEFAULT_INDEX": "--index-url", "UV_INDEX_URL": "--index-url", "UV_FIND_LINKS": "--find-links"}
PIP_OPTIONS |= {"UV_INDEX": "--extra-index-url", "UV_EXTRA_INDEX_URL": "--extra-index-url"}
SILENT = f"Its own index did not answer within {ANSWER_SECONDS} s."
NONE_THERE = "Its own index has no {version} of this kind for this machine."
OF_PYPI = {
    "linux": "It brings CUDA, most of its size. Without, where PyTorch's own index can be reached: make setup TORCH=cpu.",
    "win32": r"It computes on the CPU alone. For an NVIDIA card: .venv\Scripts\python deploy\setup.py run --torch cuda",
}
TESTED_ON = (
    "There are wheels of all for Python 3.11 to 3.14 on Linux, Windows (64 bits) and macOS (Arm). "
    "Another Python: remove .venv, then for instance make PYTHON=python3.13."
)
UNREACHED = (
    "{program} could not fetch all, as said above. Look at the network, the proxy, the index that pip is pointed at and the room on the "
    "disk. The same command goes on where it was."
)
HERE = ("--no-build", "--python", sys.executable, "--index-strategy", "unsafe-best-match")  # uv's; of all indexes, as pip does
OF_PIP = ("global", "install", ":env:")  # sections of its configuration; the later ones win


class Part(NamedTuple):
    files: tuple[str, ...]  # of requirements
    purpose: str
    locked: bool = True  # by uv.lock, else by hashes in the file, where no package brings another


PARTS = {
    "run": Part(("requirements.txt",), "what the studio runs on"),
    "dev": Part(("requirements.txt", "requirements-dev.txt"), "what tests and checks want"),
    "scale": Part(("requirements.txt", "requirements-scale.txt"), "what many studios as one want"),
    "ears": Part(("requirements-ears.txt",), "what the studio hears with", locked=False),
    "prior": Part(("requirements-prior.txt",), "what the embedded engine's weights are made with", locked=False),
}


class Package(NamedTuple):
    name: str
    version: str
    size_bytes: int | None


class Torch(NamedTuple):
    """Where PyTorch comes from."""

    told: str
    source: tuple[str, ...] = ()  # options of uv or pip
    stays: bool = False  # the one that is installed
    hashed: bool = False  # the file that uv.lock names


class SetupFailed(Exception):
    """A fact and the next step."""


class UvFailed(SetupFailed):
    """Nothing is fetched yet, and pip may know another way to an index."""


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0, or 1 for what the user can mend, said in a sentence or two."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--torch", default="auto", help="auto, cpu, cuda, rocm, xpu, pypi, a backend of uv's, or the address of an index")
    parser.add_argument("--by", choices=("auto", "uv", "pip"), default="auto")
    options = parser.parse_args(arguments)
    try:
        _check_python()
        with tempfile.TemporaryDirectory() as folder:
            _set_up(options.part, options.torch, options.by, Path(folder))
    except SetupFailed as failed:
        print(f"\nThe set-up stopped. {failed}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nThe set-up was stopped. The same command goes on where it was.", file=sys.stderr)
        return 1
    return 0


def _check_python() -> None:
    if sys.version_info < OLDEST_PYTHON:
        raise SetupFailed(f"Python 3.11 or newer is needed; this is {platform.python_version()}. Make .venv by a newer one.")
    if sys.prefix == sys.base_prefix:
        raise SetupFailed(f"This Python is of no environment. First: {sys.executable} -m venv .venv. Then use the Python in it.")


def _set_up(name: str, torch_wanted: str, by: str, folder: Path) -> None:
    uv = None if by == "pip" else _uv(folder, needed=by == "uv")
    try:
        _install(Uv(uv, name, folder) if uv else Pip(name, folder), PARTS[name], torch_wanted)
    except UvFailed as failed:
        if by == "uv" or torch_wanted not in ("auto", "pypi"):
            raise
        say(f"{failed}\npip tries it, which takes longer.")
        _install(Pip(name, folder), PARTS[name], torch_wanted)


def _install(installer: Uv | Pip, part: Part, torch_wanted: str) -> None:
    torch = installer.torch(torch_wanted) if part.locked else Torch("PyTorch stays as it is.", stays=True)
    say(torch.told)
    lacking = installer.plan(torch)
    _tell(part, lacking)
    if lacking:
        _check_space(lacking, installer.cache_folder())
        installer.install()
        say(f"Installed: {part.purpose}.")


def say(sentence: str) -> None:
    print(sentence, flush=True)


def _tell(part: Part, lacking: list[Package]) -> None:
    if not lacking:
        say(f"Nothing is to be fetched: {part.purpose} is here.")
        return
    known = sum(package.size_bytes or 0 for package in lacking)
    unknown = sum(package.size_bytes is None for package in lacking)
    besides = f", {unknown} of them of unknown size" if unknown else ""
    python = "Python {}.{}".format(*sys.version_info)
    say(f"To fetch for {python}: {_size(known)}, up to {_size(_unpacked(known))} on the disk. Packages: {len(lacking)}{besides}.")
    largest = sorted(lacking, key=lambda package: -(package.size_bytes or 0))[:5]
    say(f"The largest: {', '.join(f'{one.name} {one.version} {_size(one.size_bytes or 0)}' for one in largest)}.")
    say("What a cache holds is not fetched again. Where it breaks off, the same command goes on.")


def _check_space(lacking: list[Package], cache_folder: Path) -> None:
    """On the disk of the environment, and on that of the cache: they may be two."""
    need = _unpacked(sum(package.size_bytes or 0 for package in lacking))
    for place, step in ((Path(sys.prefix), "Make room"), (cache_folder, "Make room, or set UV_CACHE_DIR or PIP_CACHE_DIR")):
        there = next(folder for folder in (place, *place.parents) if folder.exists())
        free = shutil.disk_usage(there).free
        if free < need:
            raise SetupFailed(f"The disk of {there} has {_size(free)} free; up to {_size(need)} are needed. {step}, then run it again.")


def _unpacked(n_bytes: int) -> float:
    return n_bytes * UNPACKED + min(n_bytes * UNPACKED, LIGHT_BYTES)


def _size(n_bytes: float) -> str:
    return f"{n_bytes / 1e9:.2f} GB" if n_bytes >= 1e9 else f"{n_bytes / 1e6:.1f} MB"


class Uv:
    """By uv, with the versions and hashes of uv.lock."""

    def __init__(self, program: Path, name: str, folder: Path):
        self._program, self._name, self._part, self._folder = program, name, PARTS[name], folder
        pip = _configuration_of_pip()
        own = any(variable in os.environ for variable in PIP_OPTIONS)  # uv is told itself where to look
        self._index = [] if own else [word for key in UV_OPTIONS for one in pip.get(key, "").split() for word in (UV_OPTIONS[key], one)]
        self._is_plain = not own and not self._index
        self._environment = {UV_VARIABLES[key]: value for key, value in pip.items() if key in UV_VARIABLES} | dict(os.environ)
        self._wanted, self._again = [], []  # options and a file of requirements, once it is planned

    def torch(self, wanted: str) -> Torch:
        """PyTorch's own index is asked for a build for this machine: that for a CPU has a tenth of the size of PyPI's."""
        version, here = _pins("requirements.txt")["torch"], _installed("torch")
        if wanted == "auto" and here.partition("+")[0] == version:
            return Torch(f"PyTorch {here} is here. For another one: TORCH=cpu, cuda, rocm, xpu or pypi.", stays=True)
        if "://" in wanted:
            return Torch(f"PyTorch: of {wanted}.", source=("--index", wanted))
        if wanted == "pypi" or (wanted == "auto" and sys.platform == "darwin"):
            return self._of_pypi("PyTorch: PyPI's.")
        backend = _backend(wanted)
        refusal = self._refusal(backend, version)
        if not refusal:
            return Torch(f"PyTorch: of its own index, for this machine (TORCH={wanted}).", source=("--torch-backend", backend))
        if wanted not in ("auto", "cpu") and (wanted, sys.platform) != ("cuda", "linux"):
            raise SetupFailed(f"{refusal} PyPI has none for {wanted}. Try again later, or take PyPI's for now: TORCH=pypi.")
        return self._of_pypi(f"PyTorch: PyPI's. {refusal}")

    def _of_pypi(self, told: str) -> Torch:
        return Torch(f"{told} {OF_PYPI.get(sys.platform, '')}".strip(), hashed=self._is_plain)

    def _refusal(self, backend: str, version: str) -> str:
        """Why PyTorch's own index gives none; "" where it does."""
        quick = {"UV_HTTP_TIMEOUT": str(ANSWER_SECONDS), "UV_HTTP_CONNECT_TIMEOUT": str(ANSWER_SECONDS), "UV_HTTP_RETRIES": "0"}
        asked = self._folder / "torch.txt"
        asked.write_text("".join(f"{name}=={version}\n" for name in TORCH_PACKAGES), encoding="utf-8")
        command = [self._program, "pip", "compile", *HERE, "--quiet", "--no-deps", "--torch-backend", backend, asked]
        try:
            status = _run(command, self._environment | quick, timeout=ANSWER_SECONDS, capture_output=True).returncode
        except subprocess.TimeoutExpired:
            return SILENT
        return NONE_THERE.format(version=version) if status == 1 else SILENT if status else ""

    def plan(self, torch: Torch) -> list[Package]:
        import tomllib

        free = not torch.hashed and not torch.stays  # another build may bring other packages
        file = self._locked(torch) if self._part.locked else ROOT / self._part.files[0]
        self._wanted = [*HERE, *([] if free else ["--no-deps"]), *self._index, *torch.source, file]
        plan = self._folder / "pylock.toml"
        self._checked("pip", "compile", "--quiet", "-o", plan, *self._wanted)
        planned = tomllib.loads(plan.read_text(encoding="utf-8"))["packages"]
        _check_pins(self._part, {package["name"] for package in planned})
        lacking = [package for package in planned if _installed(package["name"]) != package["version"]]
        other = [package["name"] for package in lacking if package["name"] in TORCH_PACKAGES]  # 2.11.0+cpu would do for 2.11.0
        self._again = [word for name in other for word in ("--reinstall-package", name)]
        return [Package(package["name"], package["version"], _size_of(package["wheels"][0])) for package in lacking]

    def _locked(self, torch: Torch) -> Path:
        """A file of requirements: what uv.lock holds for this part, with its hashes."""
        extra = [] if self._name == "run" else ["--extra", self._name]
        exported = self._folder / "locked.txt"
        self._checked("export", "--quiet", "--frozen", "--no-annotate", "--no-header", "--no-emit-project", *extra, "-o", exported)
        if not torch.hashed:
            blocks = re.split(r"(?<!\\)\n", exported.read_text(encoding="utf-8"))
            own = [] if torch.stays else [f"{name}=={_pins('requirements.txt')[name]}" for name in TORCH_PACKAGES]
            exported.write_text("\n".join(own + [one for one in blocks if not BUILD_OF_TORCH.match(one)]), encoding="utf-8")
        return exported

    def install(self) -> None:
        *options, file = self._wanted
        self._checked("pip", "install", *options, *self._again, "-r", file, quiet=False)

    def cache_folder(self) -> Path:
        return Path(_run([self._program, "cache", "dir"], self._environment, capture_output=True, text=True).stdout.strip())

    def _checked(self, *arguments: object, quiet: bool = True) -> None:
        status = _run([self._program, *arguments], self._environment, stdout=subprocess.DEVNULL if quiet else None).returncode
        fact = UNREACHED.format(program="uv")
        if status == 1:
            system = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
            fact = f"For {system} not all packages are to be had as pinned; the reason stands above. {TESTED_ON}"
        if status:
            raise (UvFailed if quiet else SetupFailed)(fact)


class Pip:
    """By pip, with the versions of the files of requirements; what these bring along is the newest."""

    def __init__(self, name: str, folder: Path):
        self._report = folder / "report.json"
        files = [word for file in PARTS[name].files for word in ("-r", str(ROOT / file))]
        hashed = [] if PARTS[name].locked else ["--no-deps", "--require-hashes"]
        self._command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", *_index_of_uv(), *hashed, *files]

    def torch(self, wanted: str) -> Torch:
        """pip knows no builds of PyTorch, only indexes."""
        if wanted != "auto" and (here := _installed("torch")):
            raise SetupFailed(f"PyTorch {here} is here, and pip leaves it. First: {sys.executable} -m pip uninstall torch torchaudio")
        if "://" in wanted:
            return Torch(f"PyTorch: of {wanted}.", source=("--extra-index-url", wanted))
        if wanted not in ("auto", "pypi"):
            raise SetupFailed(f"pip finds no PyTorch for {wanted}. Give the address of an index that has it: TORCH=https://...")
        return Torch("By pip. PyTorch: that of the index that pip asks.")

    def plan(self, torch: Torch) -> list[Package]:
        self._command += torch.source
        say("pip looks for what fits, which takes a while.")
        self._checked([*self._command, "--quiet", "--dry-run", "--report", str(self._report)])
        found = json.loads(self._report.read_text(encoding="utf-8"))["install"]
        return [Package(one["metadata"]["name"], one["metadata"]["version"], _size_of(one["download_info"])) for one in found]

    def install(self) -> None:
        self._checked(self._command)

    def cache_folder(self) -> Path:
        command = [sys.executable, "-m", "pip", "cache", "dir"]
        return Path(_run(command, dict(os.environ), capture_output=True, text=True).stdout.strip() or sys.prefix)

    @staticmethod
    def _checked(command: list[str]) -> None:
        if _run(command, dict(os.environ)).returncode:
            raise SetupFailed(UNREACHED.format(program="pip") + f" If it is about versions: {TESTED_ON}")


def _uv(folder: Path, *, needed: bool) -> Path | None:
    """uv of the version and the hashes that uv.lock holds, in this environment; None where it cannot be had."""
    import tomllib

    lock = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))
    (locked,) = (package for package in lock["package"] if package["name"] == "uv")
    program = Path(sys.executable).parent / ("uv.exe" if os.name == "nt" else "uv")
    if program.exists() and _installed("uv") == locked["version"]:
        return program
    say(f"First uv {locked['version']}, about {_size(max(wheel['size'] for wheel in locked['wheels']))}, which fetches the rest.")
    wanted = folder / "uv.txt"
    wanted.write_text(f"uv=={locked['version']} " + " ".join(f"--hash={wheel['hash']}" for wheel in locked["wheels"]), encoding="utf-8")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", "--only-binary", ":all:"]
    if _run([*command, *_index_of_uv(), "--require-hashes", "-r", str(wanted)], dict(os.environ)).returncode == 0:
        return program
    if needed:
        raise SetupFailed(UNREACHED.format(program="pip"))
    say("uv is not to be had here, as said above. pip goes on, which takes longer.")
    return None


def _run(command: list, environment: dict[str, str], **options) -> subprocess.CompletedProcess:
    return subprocess.run([*map(str, command)], cwd=ROOT, env=environment, check=False, **options)


@cache
def _configuration_of_pip() -> dict[str, str]:
    """Its files and PIP_ variables, by key."""
    answer = _run([sys.executable, "-m", "pip", "config", "list"], dict(os.environ), capture_output=True, text=True)
    found = re.findall(r"^([^.\n]+)\.([\w-]+)=(.*)$", answer.stdout, re.MULTILINE)
    ranked = sorted((line for line in found if line[0] in OF_PIP), key=lambda line: OF_PIP.index(line[0]))
    return {key.removeprefix("default-"): literal_eval(value) for _, key, value in ranked}


def _index_of_uv() -> list[str]:
    """Of uv's variables, for pip."""
    return [word for name, option in PIP_OPTIONS.items() for one in os.environ.get(name, "").split() for word in (option, one)]


def _backend(wanted: str) -> str:
    """What uv calls it; where a driver tells, uv finds the version that suits it."""
    driver, otherwise = BACKENDS.get(wanted, ("", wanted))
    return "auto" if driver and shutil.which(driver) else otherwise


def _installed(name: str) -> str:
    """Its version; "" for none."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _pins(file: str) -> dict[str, str]:
    """Version by package; those of one system alone are left out."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    found = (re.fullmatch(r"([\w.-]+)(?:\[.*\])?==([^\s;]+)(?: \\)?", line) for line in lines)
    return {re.sub(r"[-_.]+", "-", pin[1]).lower(): pin[2] for pin in found if pin}


def _check_pins(part: Part, planned: set[str]) -> None:
    """uv.lock leaves out what goes with nothing else on this Python."""
    for name in _pins(part.files[-1]).keys() - planned - set(TORCH_PACKAGES):
        raise SetupFailed(f"On Python {platform.python_version()} {name} does not go with the studio's other packages. {TESTED_ON}")


@cache
def _sizes() -> dict[str, int]:
    """Of uv.lock, by hash."""
    found = re.findall(r'hash = "sha256:(\w+)", size = (\d+)', (ROOT / "uv.lock").read_text(encoding="utf-8"))
    return {name: int(size) for name, size in found}


def _size_of(file: dict) -> int | None:
    """Of a file in a plan of uv's or in pip's report."""
    if "path" in file:
        return Path(file["path"]).stat().st_size
    hashes = file.get("hashes") or file.get("archive_info", {}).get("hashes", {})
    return file.get("size") or _sizes().get(hashes.get("sha256", "")) or _asked_size(file["url"])


def _asked_size(url: str) -> int | None:
    """None where the server does not tell."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, method="HEAD"), timeout=ANSWER_SECONDS) as answer:
            return int(answer.headers["Content-Length"] or 0) or None
    except (OSError, ValueError):
        return None


if __name__ == "__main__":
    sys.exit(main())
