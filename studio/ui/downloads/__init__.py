"""Files that the page hands out, to whom they belong alone."""
