"""Baskets and what becomes of them."""
