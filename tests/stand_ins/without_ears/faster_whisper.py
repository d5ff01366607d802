"""No package of this name, as studio/analysis/packages.py looks for it: it is found here, and has no folder."""
