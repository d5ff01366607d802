"""Exports of a listening test: votes as CSV, findings as JSON, plots, one page of HTML, sounds with a key. Also the files that come in."""
