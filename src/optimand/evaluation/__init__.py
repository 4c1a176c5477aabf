"""Part E: how a candidate is run, judged and gated."""
