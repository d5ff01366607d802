"""What the studio hears by itself: words, quality, likeness and loudness, where their packages are (`make ears`)."""
