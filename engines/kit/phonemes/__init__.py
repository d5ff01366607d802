"""Text as eSpeak NG reads it: languages, phones, IPA, samples."""
