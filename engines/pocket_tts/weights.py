"""PocketWeights: finds the files of a Pocket TTS model: in two hub repositories at pinned commits, another upload, or a folder."""

import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from engines.contract.options import Value, text_option
from engines.contract.package import Progress
from engines.errors import EngineUnavailable
from engines.kit.weights.weights import HubSnapshot, fetch_in_turn, is_hub_id, refused_status, stoppable
from engines.kit.weights.weights_files import check_lacking, check_pointers
from engines.pocket_tts.options import DEFAULT_VARIANT, VARIANTS
from engines.pocket_tts.released import GATED, OPEN, ReleasedModel, released_model

__all__ = ["PRESETS", "PocketFiles", "PocketWeights"]

WITHOUT_CLONING = f"POCKET_TTS_CHECKPOINT={OPEN}"
VOICES_REVISION = "a7056f505a4a8ca72d8b5fb1440071d6f1a35739"  # of OPEN, as pocket-tts 4.0.1 has it (utils/utils.py)
MODEL, TOKENIZERS, CONFIG = "model.safetensors", ("tokenizer.json", "tokenizer.model"), "config.yaml"

# Of the makers' voices those whose recordings are CC0 or, alba alone, CC BY 4.0, by the card of kyutai/tts-voices.
PRESETS = ("alba", "caro_davy", "bill_boerst", "peter_yearsley", "stuart_bell", "marius", "javert")

_VOICE_ROWS = 127  # of about 10 s: alba's file has 126, michael's 148
_TOKENIZER_BYTES = 245_020  # of tokenizer.json as published; tokenizer.model has 59,339


@dataclass(frozen=True)
class PocketFiles:
    """What a model is read from. config: the makers' YAML of a model that is none of the released; None: the variant says it.

    presets: of built-in voices, their states.
    """

    model: Path
    tokenizer: Path
    config: Path | None
    presets: Mapping[str, Path]


@dataclass(frozen=True)
class _HubFiles:
    """Of one repository at one commit, by their names there. n_bytes: of all, about."""

    snapshot: HubSnapshot
    needed: tuple[str, ...]
    n_bytes: int

    def folder(self) -> Path:
        """Raises EngineUnavailable."""
        folder = self.snapshot.folder()
        absent = [name for name in self.needed if not (folder / name).is_file()]
        check_lacking(self.snapshot.repository, absent, self.snapshot.command)
        return folder

    def is_here(self) -> bool:
        try:
            self.folder()
        except EngineUnavailable:
            return False
        return True

    def here_bytes(self) -> int:
        """Of those that are here."""
        folder = self.snapshot.begun()
        files = (folder / name for name in self.snapshot.patterns) if folder else ()
        return sum(file.stat().st_size for file in files if file.is_file())


@dataclass(frozen=True)
class PocketWeights:
    """Those of one released model, variant, or of a checkpoint in the same layout, as `PackageWeights` has them.

    checkpoint: None or GATED is the makers' model, with tokenizer and voices from OPEN; OPEN is all from there, whose encoder is blank;
    another hub id, or a folder, holds model.safetensors, tokenizer.json or tokenizer.model, and may hold config.yaml and
    embeddings/<voice>.safetensors, below languages/<variant>/ or at its top.
    """

    variant: str = DEFAULT_VARIANT

    def of(self, options: Mapping[str, Value]) -> "PocketWeights":
        """Those of options["variant"]."""
        return self if options["variant"] == self.variant else replace(self, variant=text_option(options, "variant"))

    def command(self, checkpoint: str | None = None) -> str:
        """The one line that gets them."""
        if checkpoint and is_hub_id(checkpoint) and not _is_released(checkpoint):
            return self._upload(checkpoint).command
        return self._parts(checkpoint)[0].snapshot.command

    def hub_id(self, checkpoint: str | None = None) -> str:
        """The repository of the model; "" for that of a local folder."""
        named = checkpoint or GATED
        return named if is_hub_id(named) and not Path(named).is_dir() else ""

    def availability(self, checkpoint: str | None = None) -> EngineUnavailable | None:
        """Why `resolve` would fail for want of weights, or None: where they are here, and where it would fetch them."""
        return None if checkpoint and is_hub_id(checkpoint) else self._lack(checkpoint)

    def is_here(self, checkpoint: str | None = None) -> bool:
        """Whether they are complete on this machine. Looks at a few names on the disk."""
        return self._lack(checkpoint) is None

    def n_bytes(self, checkpoint: str | None = None) -> int:
        """Of the files that would be read where they are here, else about that of the release; 0 where neither is known."""
        try:
            files = self._files(checkpoint)
        except EngineUnavailable:
            return self.n_bytes_released() if _is_released(checkpoint) else 0
        read = (files.model, files.tokenizer, *filter(None, (files.config,)), *files.presets.values())
        return sum(file.stat().st_size for file in read)

    def n_bytes_released(self) -> int:
        """About how large the variant is, with tokenizer and voices."""
        return sum(part.n_bytes for part in self._parts(None))

    def resolve(self, checkpoint: str | None = None, progress: Progress | None = None) -> PocketFiles:
        """Their files. A hub id is fetched unless it is in the hub's cache; the default, None, is never fetched unasked.

        Raises EngineUnavailable with the command that gets them.
        """
        try:
            return self._files(checkpoint)
        except EngineUnavailable:
            if checkpoint is None or not is_hub_id(checkpoint):
                raise
        self._fetch(checkpoint, progress)
        return self._files(checkpoint)

    def fetch(self, checkpoint: str | None, progress: Progress, cancelled: Callable[[], bool]) -> None:
        """Bring them into the hub's cache, going on where an earlier fetch ended. Raises FetchCancelled, EngineUnavailable."""
        if (checkpoint is None or is_hub_id(checkpoint)) and not self.is_here(checkpoint):
            self._fetch(checkpoint, stoppable(progress, cancelled))
        self._files(checkpoint)

    def _lack(self, checkpoint: str | None) -> EngineUnavailable | None:
        try:
            self._files(checkpoint)
        except EngineUnavailable as error:
            return error
        return None

    # --- where they are

    def _files(self, checkpoint: str | None) -> PocketFiles:
        if checkpoint and (folder := Path(checkpoint).expanduser()).is_dir():
            files = self._files_in(folder, checkpoint)
            check_pointers(checkpoint, folder, (files.model, files.tokenizer, *files.presets.values()))
            return files
        if checkpoint and not is_hub_id(checkpoint):
            raise EngineUnavailable(command=self.command(), sentence="weights_folder_gone", detail=f"there is no folder {checkpoint}")
        if checkpoint is not None and not _is_released(checkpoint):
            return self._files_in(self._upload(checkpoint).folder(), checkpoint)
        found = {name: folder / name for part in self._parts(checkpoint) for folder in (_asked(part),) for name in part.snapshot.patterns}
        _, _, tokenizer = released_model(self.variant).tokenizer
        presets = {name: found[path] for name, path in self._voices() if found[path].is_file()}
        return PocketFiles(found[self._named(MODEL)], found[tokenizer], None, presets)

    def _files_in(self, folder: Path, checkpoint: str) -> PocketFiles:
        home = next((home for home in (folder / self._named(""), folder) if (home / MODEL).is_file()), folder)
        tokenizer = next((home / name for name in TOKENIZERS if (home / name).is_file()), home / TOKENIZERS[0])
        absent = [file.name for file in (home / MODEL, tokenizer) if not file.is_file()]
        others = sorted(file.parent.name for file in folder.glob(f"languages/*/{MODEL}"))
        if absent and others:
            raise _of_another_variant(f"{checkpoint} holds {', '.join(others)}, and not {self.variant}", others[0])
        check_lacking(checkpoint, absent, self.command(checkpoint))
        config = home / CONFIG
        if not config.exists() and home.name in VARIANTS and home.name != self.variant:
            raise _of_another_variant(f"{checkpoint} is {home.name}, and not {self.variant}", home.name)
        presets = {name: file for name in PRESETS if (file := home / f"embeddings/{name}.safetensors").is_file()}
        return PocketFiles(home / MODEL, tokenizer, config if config.exists() else None, presets)

    # --- on the hub

    def _parts(self, checkpoint: str | None) -> tuple[_HubFiles, ...]:
        """Of a released model: the model first, which may be refused."""
        return _released_parts(self, with_open_weights=checkpoint == OPEN)

    def _upload(self, repository: str) -> HubSnapshot:
        """Of somebody else's repository, where its main branch is."""
        own = (MODEL, *TOKENIZERS, CONFIG, *(f"embeddings/{name}.safetensors" for name in PRESETS))
        shown = (self._named("*"), MODEL, "tokenizer.*", CONFIG, "embeddings/*")
        command = f"hf download {repository}" + "".join(f" --include {shlex.quote(pattern)}" for pattern in shown)
        return HubSnapshot(repository, (*map(self._named, own), *own), command)

    def _voices(self) -> Iterator[tuple[str, str]]:
        for name in PRESETS:
            yield name, self._named(f"embeddings/{name}.safetensors")

    def _named(self, name: str) -> str:
        return f"languages/{self.variant}/{name}"

    def _fetch(self, checkpoint: str | None, progress: Progress | None) -> None:
        try:
            if checkpoint is not None and not _is_released(checkpoint):
                self._upload(checkpoint).fetch(progress)
                return
            parts = self._parts(checkpoint)
            lacking = [(part.snapshot, max(0, part.n_bytes - part.here_bytes())) for part in parts if not part.is_here()]
            fetch_in_turn(lacking, progress, before=sum(part.here_bytes() for part in parts))
        except EngineUnavailable as error:
            refused = _closed_gate(error, self.command(checkpoint))
            if refused is None:
                raise
            raise refused from error


@cache
def _released_parts(weights: PocketWeights, *, with_open_weights: bool) -> tuple[_HubFiles, ...]:
    """Which files a released model is read from: nothing changes them, and a page asks again and again whether they are here."""
    model = released_model(weights.variant)
    places: dict[tuple[str, str], dict[str, int]] = {}  # (repository, commit) -> names, and about how many bytes each has
    places[model.open_weights if with_open_weights else model.weights] = {weights._named(MODEL): model.n_bytes}
    tokenizers, revision, tokenizer = model.tokenizer
    places.setdefault((tokenizers, revision), {})[tokenizer] = _TOKENIZER_BYTES
    voices = {path for _, path in weights._voices()}
    places.setdefault((OPEN, VOICES_REVISION), {}).update(dict.fromkeys(sorted(voices), _voice_bytes(model)))
    lines = (f"hf download {repository} {' '.join(names)} --revision {revision}" for (repository, revision), names in places.items())
    command = " && ".join(lines)
    return tuple(
        _HubFiles(
            HubSnapshot(repository, tuple(names), command, revision),
            needed=tuple(name for name in names if name not in voices),
            n_bytes=sum(names.values()),
        )
        for (repository, revision), names in places.items()
    )


def _of_another_variant(fact: str, variant: str) -> EngineUnavailable:
    """All models of one size fit one another's sizes, and would be read by another language's rules."""
    return EngineUnavailable(command=f"POCKET_TTS_VARIANT={variant}", sentence="weights_of_another_variant", detail=fact, name=variant)


def _is_released(checkpoint: str | None) -> bool:
    return checkpoint in (None, GATED, OPEN)


def _voice_bytes(model: ReleasedModel) -> int:
    """Of the keys and values of a voice, float32."""
    backbone = model.config.flow_lm.transformer
    return _VOICE_ROWS * backbone.num_layers * 2 * backbone.n_kv_heads * backbone.head_dim * 4


def _asked(part: _HubFiles) -> Path:
    """Its folder. Of the gated repository it is said how it is opened, before anybody is refused."""
    try:
        return part.folder()
    except EngineUnavailable as error:
        if part.snapshot.repository != GATED or error.values["sentence"] != "weights_absent":
            raise
        told = EngineUnavailable(command=error.command, hint=_steps(GATED), sentence="weights_gated", name=GATED, setting=WITHOUT_CLONING)
        raise told from error


def _closed_gate(error: EngineUnavailable, command: str) -> EngineUnavailable | None:
    """What is told where the hub refused to give a gated repository; None where that is not what went wrong."""
    from huggingface_hub.errors import GatedRepoError

    status, name = refused_status(error), str(error.values.get("name"))
    if status is None or (name != GATED and not isinstance(error.__cause__, GatedRepoError)):
        return None
    return EngineUnavailable(
        command=command,
        hint=_steps(name),
        sentence="weights_gated_no_token" if status == 401 else "weights_gated_not_accepted",
        detail=f"HTTP {status}",
        name=name,
        setting=WITHOUT_CLONING,
    )


def _steps(repository: str) -> str:
    return (
        f"Accept the terms at https://huggingface.co/{repository}, then run `hf auth login` (or set HF_TOKEN), and get the weights again;"
        f" or set {WITHOUT_CLONING} for the built-in voices without cloning."
    )
