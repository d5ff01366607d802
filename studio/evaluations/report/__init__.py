"""What an evaluation found as files: one page of HTML with every sound, CSV, JSON, a table for a README, and a folder or ZIP of all."""
