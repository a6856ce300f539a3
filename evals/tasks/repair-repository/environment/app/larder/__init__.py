"""Stock and orders of a shop."""
