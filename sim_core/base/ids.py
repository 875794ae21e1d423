"""What rooms that know no scene nodes call them by."""

from typing import NewType

NodeId = NewType("NodeId", int)
"""Stands for one scene node: of no other in this process, and of another one in the next.

It is a key and nothing else: it says nothing of order, and has no place in a journal, nor in a state but a
`StateOfNodes`, which files keep with numbers in place of ids.
"""
