"""Readers of Markdown, those of Python and those of npm, and what none of them may make of ours."""
