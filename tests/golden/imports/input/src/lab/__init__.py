from .meters import Average as Mean
from .nets import *
from . import records
