"""Whole programs that show how pipelines are written; the demo runs them."""
