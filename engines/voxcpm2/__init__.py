"""VoxCPM2: clones a voice from its sound alone or in context, a patch of 160 ms at a time at 48 kHz. Importing this loads no torch."""
