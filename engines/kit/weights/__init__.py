"""Files of a checkpoint: where they are, how they are read strictly, what a configuration may say."""
