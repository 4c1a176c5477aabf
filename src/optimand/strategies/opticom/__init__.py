"""OptiCom: a controller that chooses every step anew, and an adapter of its preferences."""
