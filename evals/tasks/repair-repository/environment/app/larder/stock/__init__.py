"""Levels of stores."""
