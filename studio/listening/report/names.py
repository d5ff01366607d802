"""Names of methods, roles, systems and reasons, for plots, tables and pages. The words come from section `tests` of assets/words."""

from studio.listening.plan.plan import Plan
from studio.listening.statistics.findings import Assessor, Exclusion, Findings, SystemFinding
from studio.words.line import Line, Say

__all__ = [
    "compared",
    "conditions_of",
    "is_of_shares",
    "label_of",
    "labels_of",
    "method_of",
    "name_of_role",
    "question_of",
    "reason_of",
    "sentences_of",
]


def sentences_of(lines: tuple[Line, ...], findings: Findings, say: Say) -> list[str]:
    """Sentences of lines. Values that name a reference or an anchor by its role say it in words."""
    named = {system.label or system.system: label_of(system, say) for system in findings.systems if system.role != "system"}

    def in_words(value: object) -> object:
        if isinstance(value, list | tuple):
            return tuple(map(in_words, value))
        return named.get(value, value) if isinstance(value, str) else value

    return [say(line.key, {name: in_words(value) for name, value in line.values.items()}) for line in lines]


def method_of(method: str, say: Say) -> str:
    """Such as "AB preference"."""
    return say(f"report_method_{_plain(method)}", {})


def question_of(findings: Findings, plan: Plan | None, say: Say) -> str:
    """What was asked, where the method does not say it; else ""."""
    asked = {scale.id: scale.question for scale in plan.scales} if plan else {}
    if findings.method == "p835":
        return say(f"report_scale_{findings.scale}", {})
    return asked.get(findings.scale, findings.scale)


def name_of_role(role: str, say: Say) -> str:
    """Such as "Hidden reference". role: any but `system`."""
    return say(f"report_role_{_plain(role)}", {})


def label_of(system: SystemFinding, say: Say) -> str:
    """What a person calls it."""
    return (
        system.label if system.role == "system" or system.label not in ("", system.system, system.role) else name_of_role(system.role, say)
    )


def labels_of(findings: Findings, say: Say) -> dict[str, str]:
    """Label by system."""
    return {system.system: label_of(system, say) for system in findings.systems}


def reason_of(exclusion: Exclusion, say: Say) -> str:
    """Why a listener does not count."""
    return say(f"left_out_{exclusion.reason}", exclusion.values)


def conditions_of(listener: Assessor, say: Say) -> str:
    """With what and where somebody listened, what the headphone check said, and how well they agree; "" where nobody knows."""
    told = [listener.device, listener.place, listener.check and f"check_{listener.check}"]
    words = [say(f"listened_{one.replace(' ', '_')}", {}) for one in told if one]
    if listener.agreement is not None:
        words.append(say("listened_agreement", {"r": round(listener.agreement, 2)}))
    return ", ".join(words)


def compared(findings: Findings, say: Say) -> list[tuple[str, str]]:
    """(label, other label) of each pair."""
    labels = labels_of(findings, say)
    return [(labels.get(pair.system, pair.system), labels.get(pair.other, pair.other)) for pair in findings.pairs]


def is_of_shares(findings: Findings) -> bool:
    """Whether a picture of pairs says shares of votes; of ratings it says how far apart they are, where that is known."""
    has_differences = any(pair.difference is not None for pair in findings.pairs)
    return findings.method in ("abx", "ab") or not has_differences


def _plain(name: str) -> str:
    """As a part of a key."""
    return name.replace("-", "_").replace(".", "")
