"""The wall-avoider scene in other engines."""


def other_engines(scene, world, steps):
    return {}
