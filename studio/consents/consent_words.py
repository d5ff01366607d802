"""Words of consent: whether a sentence consents to a use of the speaker's voice, in the languages of OpenAI's consent phrases.

A sentence consents that has a word of consenting and a word for voice or recording, and no word that denies. So each of OpenAI's phrases
does, and whatever says the same in other words. Who consents in a roundabout way ("I do not mind") is asked to say it plainly.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property

from studio.analysis.heard_words import counts_characters

__all__ = ["EXAMPLES", "says_consent"]


@dataclass(frozen=True)
class _Words:
    """Patterns, "|" between them, of the beginnings of words as `_plain` writes these: small letters, no apostrophes. denying: of
    whole words. In languages without spaces, of what stands anywhere.
    """

    consenting: str
    sound: str
    denying: str
    is_spaced: bool = True

    @cached_property
    def patterns(self) -> tuple[re.Pattern[str], ...]:
        if not self.is_spaced:
            return tuple(re.compile(part) for part in (self.consenting, self.sound, self.denying))
        return re.compile(f" (?:{self.consenting})"), re.compile(f" (?:{self.sound})"), re.compile(f" (?:{self.denying}) ")


ELIDED = "(?:[cdjlmnst]|qu)?"  # French and Italian words that have lost a vowel before the next, whose apostrophe is gone
WORDS = {
    "de": _Words(
        "einverstanden|einverständ|einwillig|willige|"
        "zustimm|zugestimmt|stimme .*zu |stimm .*zu |erlaub|genehmig|gestatt|ermächtig|autorisier",
        "stimm|aufnahme|aufzeichnung",
        "nicht|nie|niemals|kein|keine|keinen|keiner|verweiger.*|widerruf.*|widersprech.*|verbiet.*",
    ),
    "en": _Words(
        "consent|agree|allow|permi|authori|approv|give .*ok",
        "voice|recording|speech|speak",
        "not|never|dont|doesnt|didnt|wont|cannot|cant|refuse.*|disagree.*|withdraw.*|withdrew|revok.*|forbid.*|nobody",
    ),
    "es": _Words(
        "consent|consient|autori|de acuerdo|permi|acept|apruebo",
        "voz|grabaci",
        "no|nunca|jamás|tampoco|niego|rechazo|prohíbo|retiro|revoco",
    ),
    "fr": _Words(
        f"{ELIDED}consen|{ELIDED}autori|{ELIDED}accord|{ELIDED}accept|{ELIDED}approuv|perme|permi",
        f"voix|{ELIDED}enregistre",
        f"pas|jamais|aucun|aucune|{ELIDED}interdi.*|{ELIDED}oppose.*|refus.*|retire|révoque",
    ),
    "hi": _Words("सहमत|सहमति|अनुमति|इजाज|स्वीकृति|मंजूर|मंज़ूर", "आवाज|वॉइस|वॉयस|रिकॉर्ड|स्वर", "नहीं|मत|न|इनकार|असहमत"),
    "id": _Words(
        "setuju|menyetujui|persetujuan|izin|mengizinkan|diizinkan|memperbolehkan|mengotorisasi",
        "suara|rekaman",
        "tidak|tak|bukan|jangan|belum|menolak|melarang|mencabut",
    ),
    "it": _Words(
        f"{ELIDED}acconsent|consen|{ELIDED}autorizz|perme|permi|{ELIDED}accett|{ELIDED}accord|{ELIDED}approv",
        "voce|voci|registrazion",
        "non|mai|nego|rifiut.*|viet.*|revoc.*|ritir.*",
    ),
    "ja": _Words("同意|許可|承諾|承認|了承|認め", "声|音声|録音|ボイス", "ません|ない|拒否|反対|不同意|撤回", is_spaced=False),
    "ko": _Words("동의|허락|허가|승인|허용", "목소리|음성|녹음", "않|거부|거절|동의안|동의하지|허락하지|철회|못합니다", is_spaced=False),
    "nl": _Words(
        "toestemming|toestaan|sta .*toe |akkoord|stem .*(?:in|mee) |instem|goedkeur|keur .*goed |machtig|autoriseer",
        "stem|opname",
        "niet|nooit|geen|weiger.*|verbied.*|herroep.*",
    ),
    "pl": _Words("zgadza|zgod|zezwal|pozwal|upoważni|akceptuj|wyraż", "głos|nagrani", "nie|nigdy|odmawia.*|zakazuj.*|cofam|wycofuj.*"),
    "pt": _Words(
        "consent|consint|autori|permi|concord|de acordo|aceit|aprov",
        "voz|gravaç",
        "não|nunca|jamais|recus.*|proíb.*|retiro|revog.*",
    ),
    "ru": _Words("соглас|разреша|разрешен|позволя|даю добро", "голос|запис", "не|нет|никогда|отказ.*|запреща.*|отзыва.*|против"),
    "uk": _Words("згод|згідн|згоден|погодж|дозвол", "голос|запис", "не|ні|ніколи|відмов.*|заборон.*|відклика.*|проти"),
    "vi": _Words(
        "đồng ý|cho phép|chấp thuận|chấp nhận|ưng thuận|ủy quyền", "giọng|tiếng nói|ghi âm", "không|chưa|đừng|từ chối|phản đối|cấm"
    ),
    "zh": _Words(
        "同意|授权|授權|允许|允許|许可|許可|准许|准許",
        "声|聲|语音|語音|嗓|录音|錄音",
        "不|没有|沒有|拒绝|拒絕|反对|反對|撤回|禁止",
        is_spaced=False,
    ),
}
# What could be said, for whoever said something else.
EXAMPLES = {
    "de": "Das ist meine Stimme, und ich bin damit einverstanden, dass sie nachgebildet wird.",
    "en": "This is my voice, and I consent to a synthetic copy of it.",
    "es": "Esta es mi voz y doy mi consentimiento para que se haga una copia sintética.",
    "fr": "C'est ma voix, et je consens à ce qu'on en fasse une copie synthétique.",
    "hi": "यह मेरी आवाज़ है और मैं इसकी कृत्रिम प्रति बनाने की सहमति देता हूँ।",
    "id": "Ini suara saya, dan saya setuju suara ini dibuat tiruannya.",
    "it": "Questa è la mia voce e acconsento che se ne faccia una copia sintetica.",
    "ja": "これは私の声です。合成音声を作ることに同意します。",
    "ko": "이것은 제 목소리이며, 합성 음성을 만드는 데 동의합니다.",
    "nl": "Dit is mijn stem, en ik geef toestemming om haar na te maken.",
    "pl": "To jest mój głos i wyrażam zgodę na jego syntetyczną kopię.",
    "pt": "Esta é a minha voz e autorizo uma cópia sintética dela.",
    "ru": "Это мой голос, и я согласен на его синтетическую копию.",
    "uk": "Це мій голос, і я даю згоду на його синтетичну копію.",
    "vi": "Đây là giọng của tôi và tôi đồng ý cho tạo một bản sao tổng hợp.",
    "zh": "这是我的声音，我同意用它制作合成语音。",
}


def says_consent(heard: str, language: str) -> bool | None:
    """None in a language of which it is not known how one consents. language: a code such as "en" or "en-US"."""
    words = WORDS.get(language.partition("-")[0].casefold())
    if words is None:
        return None
    plain = _plain(heard)
    text = "".join(plain.split()) if counts_characters(heard, language) else f" {plain} "
    consenting, sound, denying = words.patterns
    return bool(consenting.search(text) and sound.search(text) and not denying.search(text))


def _plain(text: str) -> str:
    """Small letters, marks and digits, with a space between words."""
    text = re.sub("['’ʼ`]", "", unicodedata.normalize("NFKC", text).casefold())
    return " ".join("".join(character if unicodedata.category(character)[0] in "LMN" else " " for character in text).split())
