"""Speech engines: (Clip, text) into audio. No names of people, no disk layout of the product, no HTTP, no page."""
