"""Recorded consents of workspaces: recordings of the sentence by which a person consents, kept on disk and checked."""
