"""A script as files: sounds in one or many, with chapters, cover and tags, at a loudness; subtitles, words, and the script itself."""
