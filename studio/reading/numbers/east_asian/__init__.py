"""Numbers in Chinese, Japanese and Korean: how they are written is one file for the three, what is said one file each."""
