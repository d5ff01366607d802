"""Text as eSpeak NG speaks it: languages, phones, samples."""
