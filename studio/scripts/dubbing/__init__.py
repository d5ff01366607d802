"""Speech for a video: lines that fit their slots, and a video with the speech in it."""
