"""S: what is done next, and when to stop."""
