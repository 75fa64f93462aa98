"""vramlint as a Python package: the program that the wheel brought, and tests of one's own training steps."""

from ._program import find_program
from .growth import Growth, GrowthWarning, MemoryGrowth, TooFewSteps, Watch, assert_no_growth

__all__ = ["Growth", "GrowthWarning", "MemoryGrowth", "TooFewSteps", "Watch", "assert_no_growth", "find_program"]
