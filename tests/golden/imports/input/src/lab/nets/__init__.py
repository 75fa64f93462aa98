from .small import Small

__all__ = ["Small"]
