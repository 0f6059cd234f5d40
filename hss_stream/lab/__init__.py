"""Training, the papers' tables on your own data, and generated crawls."""
