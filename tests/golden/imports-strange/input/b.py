import a
from a import looped

kept = []


def later(value):
    kept.append(value)
