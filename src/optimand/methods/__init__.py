"""Named optimizers, one short file each: compositions of the six parts, with their sources."""
