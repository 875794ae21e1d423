"""What a scene means, as typed records: its geometries, how they look, where they are, what they weigh,
and what of them moves.

Engines, sensors, pictures and the bridge read these and not the fields of nodes. A record is made from a node
as it is then, and never changes: after an edit it is made anew.
"""
