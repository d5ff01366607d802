"""What the engine learns from a recording: speech tokens, mel frames and a speaker vector."""
