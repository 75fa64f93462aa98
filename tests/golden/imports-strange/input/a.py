from b import *
from b import later as looped


def later(value):
    return value
