"""Many studios as one, on one machine or many: how Ray Serve serves them."""
