"""Whatever people bring becomes a ReadScript: books, plays, dialogues, subtitles, tables, and pastes of any of them."""
