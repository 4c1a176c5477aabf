"""An agent drives the search: the engine's doors offered as a few tools."""
