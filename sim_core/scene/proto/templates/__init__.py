"""Procedural PROTO: template statements in JavaScript or Lua (Webots reference, Procedural PROTO Nodes)."""

from sim_core.scene.proto.templates.template import TemplateError, Templates

__all__ = ["TemplateError", "Templates"]
