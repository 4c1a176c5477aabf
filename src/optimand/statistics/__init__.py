"""Pure mathematics on arrays."""
