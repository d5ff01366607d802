"""What is learned of a recording: speech tokens, mel frames and the vector of its speaker."""
