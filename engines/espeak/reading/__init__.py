"""What eSpeak NG misreads, and its phones as they are articulated."""
