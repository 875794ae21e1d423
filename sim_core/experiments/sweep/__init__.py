"""Many runs of worlds: a grid or a sample of worlds, seeds and parameters, on all cores or on a cluster.

spec file ──► Spec ──► runs ──► worker processes ──► journal ──► table
(YAML)        spec*.py plan.py  workers.py           sweep.py    table.py
"""
