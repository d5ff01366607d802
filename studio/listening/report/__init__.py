"""What leaves a listening test: votes as CSV, findings as JSON, plots, one page of HTML, sounds with a key; and what comes in as files."""
