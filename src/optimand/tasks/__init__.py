"""Ready-made subjects: policies that answer with text, functions, duels, and study files."""
