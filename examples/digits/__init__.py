"""Handwritten digits, learned in Python, in Java, and in both at once."""
