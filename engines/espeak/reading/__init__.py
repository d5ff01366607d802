"""Text as eSpeak NG speaks it: languages, sentences, phones, frames."""
