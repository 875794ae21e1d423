"""For all tests: how long an example of a property takes says nothing on a busy machine."""

from hypothesis import settings

settings.register_profile("odesim", deadline=None)
settings.load_profile("odesim")
