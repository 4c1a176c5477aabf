"""Part M: what is kept of a search, and how it is looked at."""
