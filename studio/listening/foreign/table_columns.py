"""Table columns: tells which column of a table says who listened, what was heard and what was answered. A person may say it instead.

Names are known in any order, spelling and in six languages. Three signs stand for what no single column says:

    *    each column of scores is one of it: a column for each system, listener or scale; or, of system and text, the names say both
    #    each row is one of it, such as a listener
    ""   there is none

System and text may be one column, of files whose names say both (studio/listening/foreign/stimulus_names.py).
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from studio.listening.foreign.score_cells import is_score
from studio.listening.foreign.table_file import TableFile

__all__ = ["EACH_COLUMN", "EACH_ROW", "ROLES", "Columns", "lacking_of", "recognized_columns", "score_columns"]

EACH_COLUMN, EACH_ROW = "*", "#"
ROLES = ("listener", "system", "text", "score", "other", "scale")
LEAST_SCORES = 0.5  # of the cells of a column that hold something
N_LOOKED_AT = 500  # rows
# By role, the surest names first. Compared without case, accents and signs.
_WORDS: Mapping[str, str] = {
    "listener": "listener rater worker subject participant assessor annotator evaluator judge respondent user person prolific turker "
    "questionaireuuid sessionuuid uuid session email hörer hörerin teilnehmer proband versuchsperson bewerter oyente participante sujeto "
    "evaluador auditeur auditrice participant sujet évaluateur 听众 听者 被试 评分者 参与者 评价者 聽者 リスナー 評価者 被験者 id name",
    "other": "other otherstimulus systemb modelb methodb conditionb b baseline comparedto comparison reference2 opponent second rival "
    "against choicenonreference nonreference anderes gegner otro contra autre contre 对比 另一系统",
    "system": "system method model condition algorithm engine configuration config codec vocoder tts synthesizer voice ratingstimulus "
    "responsesstimulus systema modela methoda conditiona a choicereference systemid verfahren methode modell bedingung sistema método "
    "modelo condición système modèle méthode 系统 模型 方法 条件 系統 システム 手法 モデル variant approach group",
    "text": "text utterance sentence utt item sample clip trial file filename wav wavname audio path prompt phrase stimulus stimuli wmid "
    "question page transcript satz äußerung aufnahme datei frase oración enunciado archivo muestra phrase énoncé fichier échantillon texte "
    "文本 句子 语句 样本 文件 音频 题目 发話 文 音声",
    "scale": "scale attribute dimension criterion aspect metric measure questiontype merkmal kriterium escala atributo criterio critère "
    "échelle 维度 指标 尺度 項目",
    "score": "score rating mos opinion value grade stimulirating ratingscore responsesscore responsesstimulusrating choiceanswer vote "
    "preference preferred choice winner answer response points label bewertung wert note punkte urteil puntuación puntaje valoración "
    "calificación valor nota appréciation score évaluation valeur 评分 得分 分数 打分 评价 意见分 スコア 評点 评级",
}
_SCALES = {
    *("naturalness", "similarity", "quality", "intelligibility", "overall", "expressiveness", "prosody", "pleasantness", "likability"),
    *("signal", "background", "sig", "bak", "ovrl", "naturlichkeit", "ahnlichkeit", "qualitat", "verstandlichkeit", "naturalidad"),
    *("similitud", "calidad", "naturel", "similarite", "qualite", "自然度", "相似度", "质量", "清晰度"),
}
_STIMULUS = "stimul"
_NO_SYSTEM_IN_IT = ("text", "sentence", "prompt", "transcript", "texte", "satz", "texto", "trial")
_CHOICES = {"preference", "preferred", "choice", "winner", "answer", "response", "vote"}
_NOISE = ("id", "name", "no", "nr", "number", "input", "answer", "the", "key")
_SPLIT = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True)
class Columns:
    """By role the name of a column, or a sign. score: "" where several columns hold scores."""

    listener: str = ""
    system: str = ""
    text: str = ""
    score: str = ""
    other: str = ""
    scale: str = ""

    @property
    def is_wide(self) -> bool:
        """Whether the names of the columns of scores say something."""
        return EACH_COLUMN in (self.listener, self.system, self.text, self.scale)


def recognized_columns(table: TableFile, said: Mapping[str, str] | None = None) -> Columns:
    """said: by role what a person chose, which goes before all that is guessed; "" for a role that there is none of."""
    said = {role: name for role, name in (said or {}).items() if role in ROLES and name in (*table.names, EACH_COLUMN, EACH_ROW, "")}
    free = [name for name in table.names if name not in said.values()]
    found = _by_name(table, [role for role in ROLES if role not in said], free)
    columns = replace(Columns(**found), **said)
    return _spread(table, _with_system(columns, table.names, said), said)


def lacking_of(columns: Columns, table: TableFile) -> tuple[str, ...]:
    """Roles without which nothing can be judged, and nobody said."""
    lacking = [role for role in ("listener", "system") if not getattr(columns, role)]
    return (*lacking, *(() if score_columns(columns, table) else ("score",)))


def score_columns(columns: Columns, table: TableFile) -> tuple[str, ...]:
    """The one, or of a wide table those of numbers that are nothing else."""
    if not columns.is_wide:
        return (columns.score,) if columns.score in table.names else ()
    used = {getattr(columns, role) for role in ROLES if role != "score"}
    return tuple(name for name in table.names if name not in used and _holds_scores(table, name) and not _is_of_time(name))


def _by_name(table: TableFile, roles: Sequence[str], free: Sequence[str]) -> dict[str, str]:
    """The surest match first; each column has one role, and each role one column."""
    matches = []
    for at, name in enumerate(free):
        for role in roles:
            if (how := _match(name, role)) is not None and (role != "score" or _holds_scores(table, name) or _is_of_choices(name)):
                matches.append((*how, at, role, name))
    found: dict[str, str] = {}
    for *_, role, name in sorted(matches):
        if role not in found and name not in found.values():
            found[role] = name
    return found


def _match(name: str, role: str) -> tuple[int, int] | None:
    """(how far from the very word, place among the words of the role); less is surer."""
    words = _plain_words(role)
    tokens = _tokens(name)
    core = [token for token in tokens if token not in _NOISE] or tokens
    whole = "".join(core)
    for rank, said in enumerate(("".join(tokens), whole, whole.removesuffix("id"), whole.removesuffix("name"))):
        if said in words:
            return rank, words.index(said)
    inside = [words.index(token) for token in core if token in words and len(token) > 1]
    return (4, min(inside)) if inside else None


@cache
def _plain_words(role: str) -> tuple[str, ...]:
    return tuple(_plain(word) for word in _WORDS[role].split())


def _tokens(name: str) -> list[str]:
    return [_plain(token) for token in _SPLIT.split(_accentless(name)) if token]


def _plain(word: str) -> str:
    return "".join(sign for sign in _accentless(word).casefold() if sign.isalnum())


def _accentless(word: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFKD", word) if not unicodedata.combining(sign))


def _with_system(columns: Columns, names: Sequence[str], said: Mapping[str, str]) -> Columns:
    """Where nothing is called a system: a second column of stimuli is it; else the names of files say it, where they are the texts."""
    if columns.system or columns.text in ("", EACH_COLUMN, EACH_ROW) or "system" in said:
        return columns
    used = {getattr(columns, role) for role in ROLES}
    free = [name for name in names if name not in used and not _is_of_time(name)]
    if _STIMULUS in _plain(columns.text) and "text" not in said:
        pages = [name for name in free if _match(name, "text") is not None]
        return replace(columns, system=columns.text, text=pages[0] if pages else columns.text)
    stimuli = [name for name in free if _STIMULUS in _plain(name)]
    if stimuli:
        return replace(columns, system=stimuli[0])
    has_none = any(token in _NO_SYSTEM_IN_IT for token in _tokens(columns.text))
    return columns if has_none or "text" in said else replace(columns, system=columns.text)


def _spread(table: TableFile, columns: Columns, said: Mapping[str, str]) -> Columns:
    """The same with signs where several columns hold scores and none is called so, or each is called as a scale."""
    if columns.score or columns.is_wide:
        return columns if columns.score else _rows_as_listeners(columns, said)
    open_ones = score_columns(replace(columns, scale=EACH_COLUMN), table)
    if len(open_ones) < 2:
        return replace(columns, score=next(iter(open_ones), ""))
    of_scales = sum(any(token in _SCALES for token in _tokens(name)) for name in open_ones)
    if of_scales > len(open_ones) / 2 and columns.system and "scale" not in said:
        return replace(columns, scale=EACH_COLUMN)
    if columns.system and not columns.listener and "listener" not in said:
        return replace(columns, listener=EACH_COLUMN)
    spread = replace(columns, system=EACH_COLUMN, text=columns.text or said.get("text", EACH_COLUMN))
    return columns if "system" in said else _rows_as_listeners(spread, said)


def _rows_as_listeners(columns: Columns, said: Mapping[str, str]) -> Columns:
    is_one_each = columns.system == EACH_COLUMN and not columns.listener and "listener" not in said
    return replace(columns, listener=EACH_ROW) if is_one_each else columns


def _holds_scores(table: TableFile, name: str) -> bool:
    at = table.names.index(name)
    cells = [row[at] for row in table.rows[:N_LOOKED_AT] if row[at]]
    return bool(cells) and sum(map(is_score, cells)) >= LEAST_SCORES * len(cells)


def _is_of_choices(name: str) -> bool:
    """A column of such a name may hold the names of what was chosen."""
    return _plain(name) in _CHOICES


def _is_of_time(name: str) -> bool:
    """Columns of numbers that no listener answered."""
    tokens = {_plain(token) for token in _SPLIT.split(_accentless(name)) if token}
    return bool(tokens & {"time", "timestamp", "date", "age", "duration", "seconds", "ms", "index", "row", "zeit", "datum", "edad"})
