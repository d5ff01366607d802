"""What engines learned of speakers: the cache, where a prompt comes from, how it stands."""
