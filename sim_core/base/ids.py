"""Identifiers of scene nodes, for packages that do not use the nodes themselves."""

from typing import NewType

NodeId = NewType("NodeId", int)
"""Identifies one scene node in this process; the next process has other ids.

It is only a key: it implies no order and must not be written to a journal or a state, except a
`StateOfNodes`, whose files have node numbers instead.
"""
