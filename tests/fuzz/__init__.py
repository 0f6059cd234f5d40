"""Hostile pages made by chance, and long runs that throw them at the scanner."""
