"""Stage directions: instructions to speech models in square brackets, such as [laugh]. It decides which bracketed words are one.

The lists are those of the models and services that take such tags: CosyVoice3's special tokens (cosyvoice/tokenizer/tokenizer.py @
ace7c47), OmniVoice's non-verbal tags, the tags that Fish Audio S2 and ElevenLabs v3 document, Orpheus's. In doubt brackets are prose:
"[sic]", "[1]", "[the author]" and "x[0]" are none of these.
"""

import re

__all__ = ["is_stage_direction", "is_vocal_sound"]

# Sounds and pauses: nobody writes them in brackets to have the words read.
_SOUND_WORDS = """
    laugh laughs laughing laughed laughter chuckle chuckles chuckling giggle giggles giggling snicker snickers snickering
    sigh sighs sighing gasp gasps gasping cough coughs coughing sneeze sneezes sneezing sniff sniffs sniffle sniffles sniffling
    snort snorts snorting sob sobs sobbing cry cries crying groan groans groaning moan moans moaning yawn yawns yawning
    breath breaths breathe breathes breathing inhale inhales inhaling exhale exhales exhaling wheeze wheezes wheezing pant pants panting
    hiccup hiccups burp burps gulp gulps swallow swallows lipsmack lipsmacking clucking hissing tsk hum hums humming
    whistle whistles whistling scream screams screaming shout shouts shouting yell yells yelling whisper whispers whispering whispered
    sing sings singing pause pauses break silence noise music applause clapping cheering gunshot explosion accent mn woo
    confirmation-en question-en question-ah question-oh question-ei question-yi surprise-ah surprise-oh surprise-wa surprise-yo
    dissatisfaction-hnn clears-throat clear-throat clearing-throat throat-clearing lip-smack lip-smacking smacks-lips tongue-click
    vocalized-noise sound-effect
    lacht lachen seufzt hustet flüstert rire rires soupir risa risas suspiro suspira risata risate ride riso risos
    笑 笑声 笑聲 大笑 轻笑 輕笑 叹气 嘆氣 咳嗽 呼吸 吸气 吸氣 停顿 停頓 ため息 笑い
"""
# How a sound is made; nothing without one.
_MANNER_WORDS = """
    softly quietly loudly lightly nervously heavily deeply slightly gently hard harder sadly bitterly awkwardly hysterically
    soft light loud short long quick brief small little deep big heavy nervous gentle quiet audience crowd background
    starts start begins continues a an to
"""
# How to speak. As prose they stand in brackets too ("he was [angry]"), so they count in small letters where a sentence begins.
_MOOD_WORDS = """
    happy sad angry excited surprised shocked scared calm serious sarcastic sarcastically curious mischievous mischievously cheerful
    cheerfully delighted delight disgusted fearful frustrated bored tired nervous worried confident gentle emphasis echo interrupting
    softly quietly loudly slowly quickly loud soft slow fast warmly
"""
_SOUNDS, _MANNERS, _MOODS = (frozenset(words.split()) for words in (_SOUND_WORDS, _MANNER_WORDS, _MOOD_WORDS))
_MOOD_HEADS = frozenset(("tone", "volume", "pitch", "accent"))  # "soft tone", "pitch up", "with strong accent"
_MOST_MOOD_WORDS = 5
_TIMED = re.compile(
    r"(?:pause|break|silence)s?:?\s*\d+(?:[.,]\d+)?\s*(?:ms|s|sec|seconds?)?|\d+(?:[.,]\d+)?\s*(?:ms|s|sec|seconds?)\s*pause"
)
_SENTENCE_ENDS = frozenset(".!?…:;\n。！？：；।؟")


def is_vocal_sound(word: str) -> bool:
    """Whether a single word names a sound; as a tag (<laugh>) it is a direction too."""
    return word.casefold() in _SOUNDS


def is_stage_direction(inner: str, before: str) -> bool:
    """Whether the words between two brackets are a direction. before: the last character said before them; "" where nothing was."""
    words = inner.strip().casefold().replace("_", " ").split()
    if not words:
        return False
    if _TIMED.fullmatch(" ".join(words)) or all(word in _SOUNDS for word in words) or "-".join(words) in _SOUNDS:
        return True
    sounds = [word for word in words if word not in _MANNERS]
    if sounds and len(sounds) < len(words) and ("-".join(sounds) in _SOUNDS):
        return True
    return (before == "" or before in _SENTENCE_ENDS) and inner[:1] == inner[:1].lower() and _is_mood(words)


def _is_mood(words: list[str]) -> bool:
    if len(words) == 1 or (len(words) == 2 and words[0] in ("super", "very")):
        return words[-1] in _MOODS
    return len(words) <= _MOST_MOOD_WORDS and not _MOOD_HEADS.isdisjoint((words[0], words[-1]))
