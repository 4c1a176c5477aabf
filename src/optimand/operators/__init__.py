"""Part O: how new candidates are made."""
