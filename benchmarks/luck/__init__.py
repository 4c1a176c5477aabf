"""Winner's curse: what optimizers report as best, against what it truly is."""
