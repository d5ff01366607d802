"""Names of a cast: what may be one ("ANNA", "Lady Bracknell", "Speaker 1", "太郎", "Анна"), and which of them are the same member."""

import re
import unicodedata

__all__ = ["MOST_NAME_CHARACTERS", "CastNames", "is_extension", "name_strength"]

MOST_NAME_CHARACTERS = 64  # as of CastMember.name
_MOST_CHARACTERS, _MOST_WORDS, _MOST_IDEOGRAPHS = 40, 5, 12
_SHAPE = re.compile(r"[^\W_](?:[\w .'’&/+·・#-]|,(?= (?:Jr|Sr)))*")
_PARTICLES = frozenset(
    """of the de da do dos das del della di du des le la les el los von van der den zu und and et y e i и & ben
    bin al""".split()  # noqa: SIM905 a list is longer
)
_UNCASED = re.compile("[\u0590-\u08ff\u0900-\u0dff\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
# Who speaks is told in prose like this as well: 他说：“…”.
_SAYING = re.compile(
    "(?:说|說|道|问|問|答|曰|喊|叫|想|写|寫|言う|言った|云|如下|例如|注意|注|备注|備註|总之|比如|即|是|有|为|為|作者|时间|時間|地点|日期|标题|标题)\\Z"
)
_NO_NAMES = frozenset(
    """note notes warning caution example examples tip tips important hint date time subject from to cc bcc re fwd attn http https ftp
    mailto file www ps pps nb step total price summary conclusion question questions answer answers name age address phone email
    e-mail tel fax title author language release source sources url link links see ref references chapter part act scene section
    figure fig table page volume book contents index copyright isbn published publisher edition version rating genre ingredients
    directions serves method input output result results key keys todo fixme remember today yesterday tomorrow first second third
    finally translator editor illustrator producer credits update edit disclaimer keywords abstract topic location setting cast
    characters place posting enter exit exeunt manet flourish finis hinweis hinweise achtung beispiel tipp wichtig datum zeit
    betreff von an frage antwort fazit merke titel autor sprache quelle remarque attention exemple conseil objet titre auteur langue
    source réponse résumé nota ejemplo consejo importante fecha asunto título autor idioma fuente pregunta respuesta resumen esempio
    titolo autore lingua fonte примечание внимание пример совет важно дата тема вопрос ответ автор язык источник итог""".split()  # noqa: SIM905 a list is longer
)
_EXTENSION = re.compile(
    r"\s*[(（]\s*(?:cont(?:['’]?d|inued)?\.?|v\.?\s?o\.?|o\.?\s?s\.?|o\.?\s?c\.?|off|off[- ]?screen|voice ?over|pre-?lap)\s*[)）]",
    re.IGNORECASE,
)


class CastNames:
    """The members in the order in which they come; ANNA and Anna are one, called as it was first."""

    def __init__(self):
        self._names: dict[str, str] = {}
        self.left_out: dict[str, None] = {}  # "(CONT'D)", "(V.O.)": kept in their order, each once

    def member(self, written: str) -> str:
        """What the script calls whoever is written so."""
        bare = " ".join(_EXTENSION.sub(self._leave_out, written).split()).strip(" .:*_")
        return self._names.setdefault(_folded(bare), bare[:MOST_NAME_CHARACTERS])

    def _leave_out(self, found: re.Match) -> str:
        self.left_out[found[0].strip()] = None
        return ""


def is_extension(how: str) -> bool:
    """Whether what stands in brackets behind a name says only where it is heard from, or that it goes on: "V.O.", "CONT'D"."""
    return _EXTENSION.fullmatch(f"({how})") is not None


def name_strength(written: str) -> int:
    """0: no name. 1: one if nothing speaks against it: small letters. 2: written as names are. 3: in capitals, or with a number."""
    bare = " ".join(_EXTENSION.sub("", written).split()).strip(" .*_")
    if not bare or len(bare) > _MOST_CHARACTERS or not _SHAPE.fullmatch(bare) or bare.casefold() in _NO_NAMES:
        return 0
    if _UNCASED.search(bare):
        return 2 if len(bare) <= _MOST_IDEOGRAPHS and not _SAYING.search(bare) else 0
    words = bare.split()
    if len(words) > _MOST_WORDS or not any(map(str.isalpha, bare)) or words[0].casefold() in _NO_NAMES - {"first", "second", "third"}:
        return 0
    if bare.isupper() or (len(words) > 1 and words[-1].strip("#").isdigit()):
        return 3
    if all(word[0].isupper() or word[0].isdigit() or word.casefold() in _PARTICLES for word in words) and words[0][0].isupper():
        return 2
    return 1 if len(words) == 1 and bare.islower() else 0


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold().replace("’", "'").replace(".", "")
