"""Rows: lines that come as fields, from a table or from JSON: who, text, pause, times, voice and model, by the names people give them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from studio.scripts.intake.dialogues.cast_names import MOST_NAME_CHARACTERS
from studio.scripts.intake.passages import line_cuts
from studio.scripts.script.cast import CastMember
from studio.scripts.script.line import MOST_LINE_CHARACTERS, MOST_PAUSE_SECONDS, MOST_SLOT_SECONDS, LineText, TimeSlot
from studio.text_files.text_check import has_words

__all__ = ["FIELDS", "ReadRows", "field_of", "read_rows"]

_NAMES = {
    "who": """who speaker speaker_name speaker_id character char name actor role person participant cast sprecher sprecherin figur rolle
        wer locuteur personnage rôle qui personaje hablante quien quién rol personaggio parlante personagem falante spreker персонаж
        говорящий кто
        роль 说话人 說話人 角色 人物 发言人 話者 キャラクター 名前 화자 이름""",
    "text": """text line content utterance sentence dialogue dialog script message transcript transcription said words caption
        subtitle value zeile satz inhalt texte ligne phrase réplique contenu texto línea linea frase contenido diálogo testo riga
        battuta fala tekst regel текст реплика строка 文本 内容 台词 台詞 文字 対白 对白 セリフ 本文 텍스트 대사""",
    "voice": "voice voice_name voice_id stimme voix voz voce stem голос 声音 音色 声 ボイス 목소리",
    "model": "model engine model_id tts_model modell moteur modèle modelo motor motore модель 模型 引擎 モデル",
    "pause": "pause pause_seconds pause_s silence silence_after pausa пауза 停顿 停頓 間 정지",
    "start": """start start_time begin from in timestamp tc_in start_seconds anfang beginn von début debut inicio comienzo inizio начало
        开始 開始 開始時間""",
    "end": "end end_time stop to out tc_out end_seconds ende bis fin final fine конец 结束 結束 終了",
    "duration": "duration duration_seconds length_seconds dauer durée duración durata",
    "instructions": """instructions instruction instruct style emotion tone direction how delivery prompt anweisung anweisungen stil emotion
        consigne consignes style_instructions ton instrucciones instrucción estilo emoción tono istruzioni stile инструкция стиль эмоция
        指令 语气 語氣 情感 風格 风格 指示 感情""",
    "chapter": """chapter section scene heading kapitel szene abschnitt chapitre scène capítulo capitulo escena capitolo scena глава сцена
        章节 章節 章 场景""",
    "speed": "speed rate geschwindigkeit tempo vitesse velocidad velocità скорость 语速 語速 速度",
    "language": "language lang locale sprache langue idioma lingua язык 语言 語言 言語",
}
FIELDS: Mapping[str, str] = {name: key for key, names in _NAMES.items() for name in names.split()}
_TIME = re.compile(r"(?:(?:(?P<h>\d+):)?(?P<m>\d{1,3}):)?(?P<s>\d{1,6})(?:[.,](?P<f>\d{1,9}))?\s*(?P<unit>ms|s|sec)?", re.IGNORECASE)
_MOST_FIELD_CHARACTERS = 80
_MOST_INSTRUCTION_CHARACTERS = 1_000
_LEAST_SPEED, _MOST_SPEED = 0.25, 4.0


@dataclass(frozen=True)
class ReadRows:
    """notes: as in ReadScript."""

    lines: tuple[LineText, ...]
    cast: tuple[CastMember, ...]
    notes: tuple[tuple[str, dict], ...] = field(default=())


def field_of(name: str) -> str:
    """Which field a column or a member of that name is; "" for none."""
    if len(name) > _MOST_FIELD_CHARACTERS:
        return ""
    plain = re.sub(r"[\s-]+", "_", re.sub(r"\(.*?\)|\[.*?\]", "", name.replace("\ufeff", "")).strip().casefold())
    return FIELDS.get(plain, FIELDS.get(plain.strip("_#"), ""))


def read_rows(rows: Iterable[Mapping[str, Any]]) -> ReadRows:
    """rows: field -> value. A row without text is left out, unless it begins a chapter."""
    lines: list[LineText] = []
    members: dict[str, CastMember] = {}
    other_voices: dict[str, None] = {}
    cut: dict[str, None] = {}
    chapter = ""
    for row in rows:
        title = _text(row.get("chapter"))
        if title and title != chapter:
            chapter = title
            lines.append(LineText(text=title[:300], kind="heading", is_silent=True))
        who = " ".join(_text(row.get("who")).split())
        if len(who) > MOST_NAME_CHARACTERS:
            cut[who] = None
            who = who[:MOST_NAME_CHARACTERS].strip()
        made = list(_lines(row, _same(who, members)))
        who = made[0].who if made else who
        lines += made
        if made:
            member = _member(who, row)
            known = members.setdefault(who, member)
            if (member.voice or known.voice) != known.voice or (member.model or known.model) != known.model:
                other_voices[who] = None
            members[who] = _filled(known, member)
    notes: list[tuple[str, dict]] = [("note_voices_differ", {"names": ", ".join(other_voices)[:200]})] if other_voices else []
    notes += [("note_left_out", {"words": ", ".join(name[MOST_NAME_CHARACTERS:] for name in cut)[:200]})] if cut else []
    return ReadRows(tuple(lines), tuple(members.values()), tuple(notes))


def _same(who: str, members: Mapping[str, CastMember]) -> str:
    """As it was written first."""
    return who if who in members else next((name for name in members if name.casefold() == who.casefold()), who)


def _lines(row: Mapping[str, Any], who: str) -> Iterator[LineText]:
    text = _text(row.get("text")).strip()
    if not text:
        return
    slot = _slot(row)
    cuts = (text,) if slot and len(text) <= MOST_LINE_CHARACTERS else line_cuts(text)
    pause, speed = _seconds(row.get("pause")), _number(row.get("speed"))
    for number, cut in enumerate(cuts, 1):
        yield LineText(
            who=who,
            text=cut,
            is_silent=not has_words(cut),
            slot=slot if number == 1 else None,
            pause_seconds=min(pause, MOST_PAUSE_SECONDS) if pause is not None and number == len(cuts) else None,
            instructions=_text(row.get("instructions"))[:_MOST_INSTRUCTION_CHARACTERS] or None,
            speed=speed if speed is not None and _LEAST_SPEED <= speed <= _MOST_SPEED else None,
        )


def _slot(row: Mapping[str, Any]) -> TimeSlot | None:
    start, end = _seconds(row.get("start")), _seconds(row.get("end"))
    if end is None and start is not None and (seconds := _seconds(row.get("duration"))) is not None:
        end = start + seconds
    if start is None or end is None or not 0 <= start < end <= MOST_SLOT_SECONDS:
        return None
    return TimeSlot(start=start, end=end)


def _member(who: str, row: Mapping[str, Any]) -> CastMember:
    voice, model, language = (_text(row.get(name)).strip() or None for name in ("voice", "model", "language"))
    return CastMember(name=who, voice=voice, model=model, language=language.split("-")[0].lower() if language else None)


def _filled(known: CastMember, member: CastMember) -> CastMember:
    """What is known of a member first holds."""
    return known.model_copy(update={name: getattr(known, name) or getattr(member, name) for name in ("voice", "model", "language")})


def _text(value: object) -> str:
    return "" if value is None or isinstance(value, dict | list) else str(value)


def _number(value: object) -> float | None:
    try:
        return float(str(value).strip().replace(",", ".")) if not isinstance(value, bool) and value is not None else None
    except ValueError:
        return None


def _seconds(value: object) -> float | None:
    """Of "00:00:01,500", "1:02.5", 12.5, "500 ms"; None for what is no time."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if value >= 0 else None
    found = _TIME.fullmatch(_text(value).strip())
    if found is None:
        return None
    seconds = int(found["h"] or 0) * 3600 + int(found["m"] or 0) * 60 + int(found["s"]) + float(f"0.{found['f'] or 0}")
    return seconds / 1000 if (found["unit"] or "").lower() == "ms" else seconds
