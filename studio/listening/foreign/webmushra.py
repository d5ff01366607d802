"""webMUSHRA (audiolabs/webMUSHRA): reads its YAML configuration as a plan.

Results in its layout: studio/listening/report/webmushra_results.py.

A plan has one method and the same systems for each text; a configuration may change both from page to page. So it becomes several plans:
one for each kind of page, of those with the same conditions. Page ids become texts, conditions become systems of uploaded files.

    mushra                       MUSHRA with its reference, and the anchors that webMUSHRA would make; MUSHRA-like without a reference
    paired_comparison            ABX of the reference and a condition, a plan for each condition: webMUSHRA asks which one is the reference
    bs1116                       BS.1116, where the studio has it
    likert_single_stimulus,      MOS, with scales of their own; systems are told by the names of stimuli or files
    likert_multi_stimulus          (studio/listening/foreign/likert_pages.py)
    consent                      what a listener agrees to, without its markup
    generic, volume, finish, spatial: no plan has them; each is named

What is not carried over is in `left_out` of the first of the plans, page by page and option by option.
An address is not fetched: what follows its host is looked for as a path.
Options and their meaning: doc/experimenter.md of webMUSHRA, version 1.4.
"""

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from pydantic import ValidationError

from studio.listening.foreign.config_text import parsed_config
from studio.listening.foreign.likert_pages import MOST_SCALES, LikertGrid, LikertScale, LikertStimulus, grids_of, scales_of_page
from studio.listening.plan.plan import METHODS, MOST_SIGNALS, MOST_TEXTS, Anchor, Method, OpenReference, Plan, System
from studio.listening.report.plan_file import MOST_PLAN_BYTES, REFERENCE, PlannedTest, too_large, upload_of
from studio.listening.report.unreadable import PlanFileUnreadable
from studio.words.line import Line

__all__ = ["is_config", "parsed_config", "read_config"]

MOST_PAGES = 1000
MOST_PLANS = 50
MOS_POINTS = 5
_ANCHORS: dict[str, Anchor] = {"createAnchor35": "lowpass-3.5", "createAnchor70": "lowpass-7"}
_LIKERT = ("likert_single_stimulus", "likert_multi_stimulus")
_FADERS = ("mushra", "multi_metric_mushra")  # the second is a fork's, which asks several things in turn
_KNOWN_PAGES = (*_FADERS, "paired_comparison", *_LIKERT, *(["bs1116"] if "bs1116" in METHODS else []))
_ADDRESS = re.compile(r"https?://[^/?#]+/+", re.I)
_CARRIED = {"type", "id", "name", "reference", "stimuli", *_ANCHORS}
_CARRIED_AT_TOP = {"testname", "testId", "language", "pages"}
_TAGS = re.compile(r"<[^<>]*>")  # as the one above in time that is proportional to the text, whatever it is
_MOST_CONSENT = 4000
_MOST_NAME = 120


def is_config(fields: Mapping[str, object]) -> bool:
    """Whether a parsed file is a configuration of webMUSHRA, not a plan."""
    return isinstance(fields.get("pages"), list) and "method" not in fields


def read_config(text: str) -> tuple[PlannedTest, ...]:
    """The tests of a configuration, in the order of its pages. Paths of uploads are as the file has them: below webMUSHRA's own folder.

    Raises PlanFileUnreadable: for what is no configuration, has no page that a plan can carry, or names a path outside of that folder.
    """
    if len(text) > MOST_PLAN_BYTES:
        raise too_large()
    fields = parsed_config(text)
    listed = fields.get("pages")
    if not is_config(fields) or not isinstance(listed, list):
        raise PlanFileUnreadable("pages", sentence="webmushra_no_pages")
    left_out = [Line("import_own", {"place": name}) for name in fields if name not in _CARRIED_AT_TOP]
    pages = list(_flat(listed, "pages"))
    groups = _groups(pages, left_out)
    if not 0 < len(groups) <= MOST_PLANS:
        kinds = ", ".join(dict.fromkeys(str(page.get("type")) for _, page in pages if isinstance(page, dict)))
        raise PlanFileUnreadable(
            "pages",
            sentence="webmushra_no_test",
            detail=f"they make {len(groups)} tests, and 1 to {MOST_PLANS} can be made; the pages are {kinds}",
            types=", ".join(_KNOWN_PAGES),
        )
    consent, language = _consent(pages, left_out), fields.get("language")
    name = str(fields.get("testname") or fields.get("testId") or "webMUSHRA")
    shared = _Shared(consent, language if isinstance(language, str) else None)
    tests = [_test(group, its, name if len(groups) == 1 else f"{name}: {group.title}", shared) for group, its in groups.items()]
    return (replace(tests[0], left_out=tuple(left_out)), *tests[1:])


@dataclass(frozen=True)
class _PageKind:
    """What pages have in common that become one plan. systems: names of conditions, as the file has them."""

    method: Method
    systems: tuple[str, ...]
    anchors: tuple[Anchor, ...] = ()
    scales: tuple[LikertScale, ...] = ()
    part: int = 0  # of tests that are alike in all of the above

    @property
    def title(self) -> str:
        return ", ".join((self.method, *self.systems, *self.anchors, *([str(self.part + 1)] if self.part else [])))


@dataclass(frozen=True)
class _Shared:
    """What all tests of a configuration have."""

    consent: str
    language: str | None


@dataclass(frozen=True)
class _ConfigPage:
    """place: of the page in the file, for what is wrong with it. stimuli: path by name of condition."""

    place: str
    kind: str
    name: str
    reference: object
    stimuli: Mapping[str, object]
    anchors: tuple[Anchor, ...]
    scales: tuple[LikertScale, ...] = ()

    def groups(self) -> Iterator[_PageKind]:
        names = tuple(self.stimuli)
        if self.kind == "paired_comparison":
            yield from (_PageKind("abx", (REFERENCE, name)) for name in names)
        elif self.kind in _LIKERT:
            yield _PageKind("mos", (), scales=self.scales)
        elif self.kind not in _FADERS:
            yield _PageKind(cast(Method, self.kind), names)  # bs1116
        else:
            yield _PageKind("mushra" if self.reference else "mushra-like", names, self.anchors)

    def path(self, system: str) -> object:
        return self.stimuli.get(system, self.reference if system == REFERENCE else None)


def _groups(entries: list[tuple[str, object]], left_out: list[Line]) -> dict[_PageKind, list[_ConfigPage]]:
    """Pages by the test that they become, in the order of the first of each."""
    found: dict[_PageKind, list[_ConfigPage]] = {}
    for page in _carried(entries, left_out):
        for kind in page.groups():
            found.setdefault(kind, []).append(page)
    tests: dict[_PageKind, list[_ConfigPage]] = {}
    for kind, pages in found.items():
        tests |= dict(_regrouped(kind, pages, left_out)) if kind.scales else {kind: pages}
    return tests


def _carried(entries: list[tuple[str, object]], left_out: list[Line]) -> Iterator[_ConfigPage]:
    """Those that a plan can carry; of the others, and of their options, what is left out."""
    for place, entry in entries:
        if entry == "random":
            left_out.append(Line("import_order", {"place": place}))
            continue
        if not isinstance(entry, dict) or len(entries) > MOST_PAGES:
            raise PlanFileUnreadable(
                place,
                hint="A page has `type` and `id`.",
                sentence="webmushra_no_pages",
                detail=f"{place}: {str(entry)[:80]!r} is no page, or there are more than {MOST_PAGES}",
            )
        kind, name = str(entry.get("type")), str(entry.get("id") or place)
        unfit = _unfit(kind, entry)
        if unfit:
            left_out.append(Line(unfit, {"place": name, "type": kind, "n": MOS_POINTS, "most": MOST_SIGNALS}))
        elif kind != "consent":
            lost = [option for option in entry if option not in _CARRIED and entry[option] not in (None, False, "")]
            if n_lost := _n_lost_scales(kind, entry):
                left_out.append(Line("import_scales", {"place": name, "n": n_lost, "most": MOST_SCALES}))
            left_out += [Line("import_option", {"place": name, "option": option}) for option in lost if not _is_asked(kind, option)]
            yield _page(place, kind, name, entry)


def _flat(entries: list, place: str, depth: int = 0) -> Iterator[tuple[str, object]]:
    """(place, page) of pages and of lists of pages, which webMUSHRA shuffles where they begin with "random"."""
    for number, entry in enumerate(entries):
        if isinstance(entry, list) and depth < MOST_TEXTS:
            yield from _flat(entry, f"{place}.{number}", depth + 1)
        else:
            yield f"{place}.{number}", entry


def _unfit(kind: str, entry: Mapping[str, object]) -> str:
    """Key of the sentence that says why no plan can carry a page; "" where one can."""
    stimuli = entry.get("stimuli")
    most = MOST_PAGES if kind in _LIKERT else MOST_SIGNALS
    reasons = {
        "": kind == "consent",
        "import_text_page": kind == "generic",
        "import_own": kind in ("volume", "finish"),
        "import_method": kind not in _KNOWN_PAGES,
        "import_stimuli": not isinstance(stimuli, dict) or not 0 < len(stimuli) <= most,
        "import_reference": kind in ("paired_comparison", "bs1116")
        and (not entry.get("reference") or (isinstance(stimuli, dict) and REFERENCE in stimuli)),
        "import_scale": kind in _LIKERT and not scales_of_page(entry),
    }
    return next((key for key, is_so in reasons.items() if is_so), "")


def _n_lost_scales(kind: str, entry: Mapping[str, object]) -> int:
    """Of several on one page, how many a plan has no room for, or that are no scales."""
    response = entry.get("response")
    if kind not in _LIKERT or not isinstance(response, list) or not all(isinstance(one, list) for one in response):
        return 0
    return len(response) - len(scales_of_page(entry))


def _is_asked(kind: str, option: str) -> bool:
    """Whether an option is what a scale asks, and so carried."""
    return kind in _LIKERT and option in ("response", "content")


def _page(place: str, kind: str, name: str, entry: Mapping[str, Any]) -> _ConfigPage:
    stimuli = {str(condition): path for condition, path in entry["stimuli"].items()}
    anchors: tuple[Anchor, ...] = tuple(anchor for option, anchor in _ANCHORS.items() if entry.get(option))
    has_anchors = kind in _FADERS and entry.get("reference")
    scales = scales_of_page(entry) if kind in _LIKERT else ()
    return _ConfigPage(place, kind, name, entry.get("reference") or None, stimuli, anchors if has_anchors else (), scales)


def _regrouped(group: _PageKind, pages: list[_ConfigPage], left_out: list[Line]) -> Iterator[tuple[_PageKind, list[_ConfigPage]]]:
    """Pages that ask the same, as tests of systems; each page of theirs is a text."""
    stimuli = [LikertStimulus(page.place, page.place, key, str(path)) for page in pages for key, path in page.stimuli.items()]
    names = dict(zip((page.place for page in pages), _unlike([page.name for page in pages]), strict=True))
    stimuli = [replace(one, page=names[one.place]) for one in stimuli]
    for part, grid in enumerate(grids_of(stimuli)):
        if grid.guessed:
            left_out.append(Line("import_guessed", {"systems": list(grid.systems)}))
        if grid.mixed:
            left_out.append(Line("import_mixed", {"n": grid.mixed}))
        yield replace(group, systems=grid.systems, part=part), _rows(grid)


def _rows(grid: LikertGrid) -> list[_ConfigPage]:
    """A page for each text of a grid."""
    found = []
    for number, text in enumerate(grid.texts):
        sounds = {system: grid.sounds[system, number] for system in grid.systems}
        place = next(iter(sounds.values())).place
        found.append(_ConfigPage(place, _LIKERT[0], text, None, {system: one.path for system, one in sounds.items()}, ()))
    return found


def _consent(entries: list[tuple[str, object]], left_out: list[Line]) -> str:
    """The words of all pages of consent, without markup."""
    pages = [entry for _, entry in entries if isinstance(entry, dict) and entry.get("type") == "consent"]
    words = "\n\n".join(" ".join(html.unescape(_TAGS.sub(" ", str(page.get("content") or ""))).split()) for page in pages)
    if len(words) <= _MOST_CONSENT:
        return words
    left_out.append(Line("import_consent", {"n": len(words), "most": _MOST_CONSENT}))
    return ""


def _test(group: _PageKind, pages: list[_ConfigPage], name: str, shared: _Shared) -> PlannedTest:
    ids = _ids(group.systems)
    texts = _unlike([page.name for page in pages])
    has_reference = group.method not in ("mushra-like", "abx", "mos")
    try:
        plan = Plan.model_validate(
            dict(
                name=name[:_MOST_NAME],
                method=group.method,
                systems=tuple(System(id=ids[system], label=system[:_MOST_NAME], source="files") for system in group.systems),
                texts=tuple(texts),
                reference=OpenReference(source="files") if has_reference else None,
                anchors=group.anchors,
                consent=shared.consent,
                language=shared.language,
                **_asked(group.scales),
            )
        )
    except ValidationError as error:
        place = pages[0].place
        raise PlanFileUnreadable(
            place, hint="Split the configuration, or shorten the ids of its pages.", detail=error.errors()[0]["msg"]
        ) from error
    uploads = []
    for text, page in enumerate(pages):
        uploads += [upload_of(ids[system], text, _local(page.path(system)), f"{page.place}.{system}") for system in group.systems]
        if has_reference:
            uploads.append(upload_of(REFERENCE, text, _local(page.reference), f"{page.place}.{REFERENCE}"))
    return PlannedTest(plan, tuple(uploads))


def _asked(scales: tuple[LikertScale, ...]) -> dict[str, object]:
    """Fields of a plan; none for the question of MOS itself."""
    if not scales or (len(scales) == 1 and scales[0].is_opinion):
        return {}
    told: list[Mapping[str, object]] = []
    for number, one in enumerate(scales, 1):
        points = {"points": one.points} if len(one.labels) < one.points else {}
        told.append({"id": f"scale-{number}", "question": one.question or str(number), "labels": one.labels} | points)
    return {"scales": told}


def _local(path: object) -> object:
    """The path that an address has on its host."""
    return _ADDRESS.sub("", path).partition("?")[0] if isinstance(path, str) and _ADDRESS.match(path) else path


def _ids(names: tuple[str, ...]) -> dict[str, str]:
    """An id of a system for each name, as like it as ids can be; never "reference", which is what uploads of the open one are called."""
    plain = [re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-_")[:24] or "system" for name in names]
    return dict(zip(names, _unlike([REFERENCE, *plain], "-")[1:], strict=True))


def _unlike(names: list[str], between: str = " ") -> list[str]:
    """The same with numbers behind those that stand there already."""
    found: dict[str, None] = {}
    for name in names:
        number, new = 1, name
        while new in found:
            number += 1
            new = f"{name}{between}{number}"
        found[new] = None
    return list(found)
