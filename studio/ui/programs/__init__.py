"""Endpoints for programs, the API tab, and Compare."""
