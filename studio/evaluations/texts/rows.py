"""Rows of a list: what a line says to be said, by which voice, with which recordings; and the names that people give to such columns."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["FIELDS", "SOUND_ENDINGS", "FoundRows", "TextRow", "field_of", "is_sound_name", "stem_of"]

SOUND_ENDINGS = (".wav", ".flac", ".mp3", ".ogg", ".opus", ".m4a")
_NAMES = {
    "id": """id utt utt_id uttid utterance_id key name number no nr num item item_id sentence_id text_id stimulus kennung nummer schlüssel
        identifiant numéro clé identificador clave número numero identificativo chiave identificatore номер код 编号 序号 标识 番号 번호""",
    "text": """text texts sentence line utterance transcript transcription words content written infer_text gen_text target_text tts_text
        synth_text text_to_synthesize gt_text normalized_text raw_text said satz sätze zeile inhalt worte wörter abschrift texte phrase mots
        ligne contenu texto frase oración línea palabras contenido transcripción testo parole riga trascrizione palavras linha transcrição
        tekst zin woorden текст предложение фраза слова строка 文本 句子 文字 内容 台词 テキスト 文 文章 텍스트 문장""",
    "language": "language lang locale language_code sprache langue idioma lengua lingua língua taal язык 语言 語言 语种 言語 언어",
    "voice": """voice voice_name voice_id speaker speaker_name speaker_id spk spk_id stimme sprecher sprecherin voix locuteur locutrice voz
        hablante locutor voce parlante falante stem spreker голос диктор 声音 音色 说话人 声 話者 목소리 화자""",
    "prompt_words": """prompt_text prompt_words prompt_transcript prompt_transcription ref_text ref_txt ref_transcript reference_text
        reference_transcript reference_words""",
    "prompt_file": """prompt_wav prompt_audio prompt_file prompt_path prompt_audio_path prompt_wav_path ref_audio ref_wav ref_path
        ref_audio_path reference_audio reference_wav reference_file speaker_wav audio_prompt audio_prompt_path clip""",
    "file": """file filename file_name path filepath file_path wav wavs audio audio_file audio_path audio_filepath wav_path wavpath sound
        recording infer_wav gt_wav ground_truth datei dateiname pfad aufnahme ton fichier chemin enregistrement son archivo fichero ruta
        grabación sonido percorso registrazione arquivo bestand файл запись путь 文件 文件名 音频 录音 路径 ファイル 音声 파일 음성""",
    "kind": "kind category type genre art kategorie typ catégorie categoría tipo categoria soort вид тип категория 类别 类型 種類 종류",
    "seed": "seed take run repetition wiederholung graine semilla seme semente зерно 种子 シード 시드",
    "person": "person who person_id speaker_person mensch personne persona pessoa persoon человек 人 人物 사람",
}
FIELDS: Mapping[str, str] = {name: field for field, names in _NAMES.items() for name in names.split()}
_MOST_NAME_CHARACTERS = 80


@dataclass(frozen=True)
class TextRow:
    """line: its number in the file, or of its entry. prompt_file: the recording of who is to say it, prompt_words what is said in it.

    file: a recording of the text itself. All as the list writes them, "" where it does not.
    """

    line: int
    text: str
    id: str = ""
    language: str = ""
    voice: str = ""
    prompt_words: str = ""
    prompt_file: str = ""
    file: str = ""
    kind: str = ""
    seed: str = ""
    person: str = ""


@dataclass(frozen=True)
class FoundRows:
    """taken_for: what the list was read as. broken: numbers of lines that are not of its form. n_comments: lines that begin with "#".

    columns: names of columns that nobody here knows.
    """

    rows: tuple[TextRow, ...]
    taken_for: str
    broken: tuple[int, ...] = ()
    n_comments: int = 0
    columns: tuple[str, ...] = ()


def field_of(name: str) -> str:
    """Which field a column or a member of that name is; "" for none."""
    if len(name) > _MOST_NAME_CHARACTERS:
        return ""
    plain = re.sub(r"[\s-]+", "_", re.sub(r"\([^)]*\)|\[[^]]*\]", "", name.replace("\ufeff", "")).strip().casefold())
    return FIELDS.get(plain, FIELDS.get(plain.strip("_#"), ""))


def is_sound_name(name: str) -> bool:
    """Whether it ends as files of sounds do."""
    return name.strip().casefold().endswith(SOUND_ENDINGS)


def stem_of(name: str) -> str:
    """The name of a file without its folders, and without the ending of a sound: "a/b.c.wav" is "b.c"."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1].strip()
    return last.rpartition(".")[0] if is_sound_name(last) else last
