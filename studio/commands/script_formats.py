"""Formats of the files that the command `script` writes; studio/scripts/export/order.py, which is heavier, has what each is."""

__all__ = ["SCRIPT_ENDINGS", "SCRIPT_FORMATS"]

SCRIPT_ENDINGS = {  # of a file's name -> format
    ".m4b": "m4b", ".mp3": "mp3", ".wav": "wav", ".flac": "flac", ".opus": "opus", ".ogg": "opus", ".m4a": "aac", ".srt": "srt",
    ".vtt": "vtt", ".json": "script",
}  # fmt: skip
SCRIPT_FORMATS = ("m4b", "mp3", "wav", "flac", "opus", "aac", "srt", "vtt", "karaoke_vtt", "words", "script", "script_with_sounds")
