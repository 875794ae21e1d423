"""Parser of worlds and of PROTO bodies, which expands instances."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import InitVar, dataclass, field
from pathlib import Path
from typing import Any

from sim_core.base.errors import Mistake, SceneError
from sim_core.base.shipped import shipped_protos
from sim_core.scene.assets import Assets, NotFoundError
from sim_core.scene.axes import FIRST_FLU_VERSION, UP, world_axes
from sim_core.scene.limits import MAX_DEPTH, MAX_NESTING, extent
from sim_core.scene.node import Node
from sim_core.scene.node_types import FieldType, NodeType, all_node_types, did_you_mean
from sim_core.scene.proto.expansion import (
    Binding,
    copy_default_nodes,
    expand_in_place,
    parameter_value,
    stand_in_type,
)
from sim_core.scene.proto.folding import Folding
from sim_core.scene.proto.hidden_fields import HiddenFields
from sim_core.scene.proto.missing import HOW_TO_GET, MissingProto
from sim_core.scene.proto.old_sizes import old_sizes, set_default_height, with_current_sizes
from sim_core.scene.proto.proto_file import ProtoDefinition
from sim_core.scene.proto.proto_interface import holder_of, read_extern_proto
from sim_core.scene.proto.proto_library import BrokenProtoError, ProtoLibrary, ProtoScope
from sim_core.scene.proto.templates import TemplateError, Templates
from sim_core.scene.scene import MADE_BY_TEMPLATE, Scene
from sim_core.scene.slots import drop_misfit
from sim_core.scene.wbt.cursor import MAX_PROBLEMS, Cursor, TooManyProblemsError
from sim_core.scene.wbt.field_values import FAILED
from sim_core.scene.wbt.header import Header
from sim_core.scene.wbt.lexer import END, WORD, Lines, Token, tokenize
from sim_core.scene.wbt.parser import Parser
from sim_core.scene.wbt.shared import Shared

FIRST_WITH_EXTERN = "R2022b"
"""Worlds and PROTO files of older versions need not declare PROTO nodes."""
FIRST_WITH_CURRENT_AXES = "R2022a"
"""Worlds of older versions have other axes."""


@dataclass
class Load(Shared):
    """State shared by the parsers of a world and of its PROTO files.

    Attributes:
        scene: the world.
        templates: runs the templates of PROTO bodies.
        library: the PROTO files.
        problems: problems of PROTO bodies, by their texts.
        failed: problems of bodies that were replaced by empty nodes, by their texts.
        skip_missing: missing PROTO become empty nodes, with one warning for all of them.
        missing: missing PROTO by name.
        elsewhere: PROTO that are not at their URLs, by name: place of the first use, and the file that
            replaces it.
        folding: folds equal robots at the root of the world; None: all robots have nodes.
        is_own_save: the world was saved with these same PROTO files.
    """

    scene: Scene = field(kw_only=True)
    templates: Templates = field(kw_only=True)
    assets: InitVar[Assets] = field(kw_only=True)
    skip_missing: bool = field(default=False, kw_only=True)
    missing: dict[str, MissingProto] = field(default_factory=dict)
    library: ProtoLibrary = field(init=False)
    problems: dict[str, SceneError] = field(default_factory=dict)
    failed: dict[str, Mistake] = field(default_factory=dict)
    elsewhere: dict[str, tuple[tuple[str, int, int], Path]] = field(default_factory=dict)
    folding: Folding | None = None
    is_own_save: bool = False

    def __post_init__(self, assets: Assets) -> None:
        self.library = ProtoLibrary(assets, self.parse_default)

    def parse_default(self, cursor: Cursor, field: FieldType, scope: ProtoScope) -> object:
        """Return the default of an interface field that holds nodes."""
        return ProtoParser(cursor, self, scope).nodes_of(Node(holder_of(field)), field)


class ProtoParser(Parser):
    """Parser of one file, or of the body of a PROTO for one instance.

    Attributes:
        load, scope: state shared with other files, and the PROTO names of this file.
        interface: instance whose body is read; None: a file is read.
        connected, bindings: see `expansion.ProtoInstance`.
        number: number of the instance, if it has one already.
    """

    def __init__(self, cursor: Cursor, load: Load, scope: ProtoScope, interface: Node | None = None) -> None:
        super().__init__(cursor, all_node_types(), load)
        self.load = load
        self.scope = scope
        self.warns_of_old = str(scope.file) not in shipped_protos()
        self.interface = interface
        self.connected: dict[str, str] = {}
        self.bindings: dict[str, list[Binding]] = {}
        self.hidden = HiddenFields()
        self.missing: Token | None = None
        self.number = 0

    def parse_body(self) -> Node | None:
        """Return the root node of the body of a PROTO."""
        cursor = self.cursor
        root = None
        with contextlib.suppress(TooManyProblemsError):
            cursor.open_bracket()
            if not self.is_node_start():
                cursor.unexpected("the node of the PROTO")
                return None
            root = self.begin_node(None)
            self.finish_open()
            if cursor.token.kind != "}":
                cursor.unexpected('"}" behind the one node of the PROTO')
                return root
            cursor.close_bracket()
            if cursor.token.kind != END:
                cursor.unexpected("the end of the file: there is one PROTO in each")
        return root

    def type_of(self, head: Token) -> NodeType | None:
        """Return a node type, also of a PROTO; if its file is not found, that is reported and `missing` is
        the name."""
        if head.text not in self.types or self.scope.declares(head.text):
            proto = self._proto_type(head)
            if proto is not None or self.missing is head:
                return proto
        return super().type_of(head)

    def without_type(
        self, first: Token, head: Token, field: FieldType | None, name: str | None
    ) -> Node | None:
        """Return an empty node for an instance of a missing PROTO, where one is allowed."""
        group = stand_in_type()
        if (
            self.missing is not head
            or not self.load.is_lenient
            or (field is not None and not field.holds(group))
        ):
            return super().without_type(first, head, field, name)
        node = Node(group, self.source(first), name)
        if name:
            self.defs[name] = node
        return node

    def definition(self, token: Token) -> None:
        """Read `EXTERNPROTO "url"` or `IMPORTABLE EXTERNPROTO "url"` above the nodes; report a PROTO
        definition."""
        cursor = self.cursor
        if token.text == "PROTO" or self.open or self.interface is not None:
            cursor.error(token, "a PROTO definition", "nodes only: a world declares PROTO by EXTERNPROTO")
            cursor.skip_definition()
            return
        extern = read_extern_proto(cursor)
        if extern is not None:
            self.load.scene.extern_protos.append(extern)
        elif not self.is_node_start():
            cursor.skip_value()

    def add_root(self, node: Node) -> None:
        """Add a root node to the scene; templates get the axes of the world."""
        scene, folding = self.load.scene, self.load.folding
        if folding is not None and folding.takes(node, scene):
            return
        scene.nodes.append(node)
        if node.type_name == "WorldInfo":
            self.load.templates.axes = world_axes(scene).system

    def is_before(self, version: str) -> bool:
        """Return whether the file is older than a version such as `R2022b`."""
        return self.scope.header.is_before(version)

    def is_value(self, node: Node, field: FieldType) -> Any:
        """Return the instance's value for the name after IS."""
        interface, cursor = self.interface, self.cursor
        if interface is None:
            return super().is_value(node, field)
        cursor.next()
        name = cursor.token
        if name.kind != WORD:
            cursor.unexpected("the name of a field of the PROTO after IS")
            return FAILED
        cursor.next()
        source = interface.node_type.fields.get(name.text)
        if source is None:
            hint = did_you_mean(name.text, interface.node_type.fields)
            self.mistake(name, f"IS {name.text}", f"a field of PROTO {interface.type_name}", hint)
            return FAILED
        # Lists do not accept a single value (Webots reference, IS Statements); lists of nodes and old single
        # types do.
        single = (source.type, field.type) == ("SFNode", "MFNode") or (
            (source.type, field.type, field.name) == ("SFString", "MFString", "controllerArgs")
        )
        if source.type != field.type and source.type not in field.also and not single:
            found = f"IS {name.text}, which is {source.type}"
            self.mistake(name, found, f"{field.type}, as {node.type_name}.{field.name} is")
            return FAILED
        root = self.open_nodes[0]
        is_own = node is root and field.name == name.text
        if root.node_type.proto is not None and name.text in root.node_type.fields and not is_own:
            found = f"{field.name} IS {name.text}, a name that {root.type_name} has too"
            cursor.error(name, found, f"{name.text} IS {name.text} in {root.type_name} and nothing else")
            return FAILED
        if len(self.open_nodes) == 1:
            self.connected[field.name] = name.text
        else:
            self.bindings.setdefault(name.text, []).append(Binding(node, field.name))
        value = parameter_value(interface[name.text], node, field)
        if single:  # a single value becomes a list of one, as in written text
            value = [] if value is None else [value]
        if not field.type.endswith("Node"):
            return value
        nodes = value if isinstance(value, list) else [value]
        kept = [each for each in nodes if self._can_hold(each, field, name)]
        return kept if isinstance(value, list) else next(iter(kept), None)

    def _can_hold(self, node: Node | None, field: FieldType, at: Token) -> bool:
        """Count the nodes that IS brings into a field; return whether they are allowed there."""
        if node is not None:
            self._count(node, at)
        kind = None if node is None else node.proto.node_type if node.proto else node.node_type
        return kind is not None and self.check_class(at, kind, field)

    def field(self, node: Node, field: FieldType, name: Token) -> None:
        """Read a field; USE can name nodes in the defaults of parameters that are declared above it and
        not set."""
        known: ProtoDefinition | None = node.node_type.proto
        if known and field.name not in node.fields and not self._define_defaults(node, known, field.name):
            found = f"{field.name} of {node.type_name} behind a field that is declared after it"
            self.warn_once(name, found, "the order of the PROTO: USE may mean another node")
            for each, default in known.default_defs.get(field.name, {}).items():
                if self.defs.get(each) is default:
                    del self.defs[each]
        super().field(node, field, name)

    def _define_defaults(self, node: Node, definition: ProtoDefinition, end: str | None = None) -> bool:
        """Let USE name nodes in the defaults after the last field set, up to one field; return False if it
        is above."""
        if not definition.default_defs:
            return True
        names = list(definition.fields)
        start = 1 + max((names.index(each) for each in node.fields), default=-1)
        stop = len(names) if end is None else names.index(end)
        for each in names[start:stop]:
            self.defs |= definition.default_defs.get(each, {})
        return stop >= start

    def other_element(self, node: Node) -> bool:
        """Read `hidden translation_2 0 0 1` in an instance."""
        return self.hidden.read_field(self.cursor, node)

    def complete(self, node: Node) -> None:
        """Expand a node that is a PROTO instance."""
        is_root = len(self.open_nodes) == 1
        if is_root and self._folds(node):
            return
        self.expand(node, self.number if is_root else 0)
        drop_misfit(node, self.load.warnings)

    def _folds(self, node: Node) -> bool:
        """Return whether a node at the root of a world is folded and needs no expansion."""
        folding = self.load.folding
        if folding is None or self.interface is not None or node in self.hidden:
            return False
        return not self.is_before(FIRST_WITH_CURRENT_AXES) and folding.folds(node)

    def expand(self, node: Node, number: int = 0, referrer: Header | None = None) -> None:
        """Turn an instance into the root node of the body of its PROTO.

        Args:
            node: the instance.
            number: number of an instance that is made again, see `ProtoInstance`.
            referrer: header of the file that contains the instance; None: of the file being read.
        """
        referrer = referrer or self.scope.header
        definition: ProtoDefinition | None = node.node_type.proto
        if definition is None:
            return
        load = self.load
        nesting = load.nesting
        if definition.file in nesting:
            circle = [*nesting[nesting.index(definition.file) :], definition.file]
            chain = " > ".join(Path(each).stem for each in circle)
            self._report_node(node, f"a PROTO that holds itself: {chain}", "one that ends")
            return
        if len(nesting) >= MAX_NESTING:
            self._report_node(node, f"PROTO nodes nested more than {MAX_NESTING} deep", "a flatter scene")
            return
        if definition.file not in load.reported:  # once for each PROTO
            load.reported.add(definition.file)
            load.warnings += definition.unused()
        self._define_defaults(node, definition)
        set_default_height(node, definition, referrer, UP[load.templates.axes])
        unset = copy_default_nodes(node)
        number = number or (0 if definition.language is None else next(load.scene.numbers))
        try:
            sizes = old_sizes(node, definition, referrer, UP[load.templates.axes])
            shown = with_current_sizes(node, sizes)
            tokens, lines, file, problems, templated = self._body(definition, shown, number)
        except TemplateError as error:
            found = f"the template of PROTO {definition.name}: {error}"
            self._fail(node, [SceneError(*node.source, found)], number)
            return
        if problems:
            self._fail(node, problems, number)
            return
        inner = ProtoParser(Cursor(tokens, file, lines), load, definition.scope, shown)
        inner.number = number
        inner.depth = self.depth + len(self.open_nodes)
        nesting.append(definition.file)
        try:
            root = inner.parse_body()
        finally:
            nesting.pop()
        if load.nodes_left < 0:
            self._report_once(inner.cursor.problems)
            raise TooManyProblemsError
        if inner.cursor.problems:
            self._fail(node, inner.cursor.problems, number)
        elif root is not None:
            expand_in_place(
                node, root, inner.connected, inner.bindings, templated | sizes, inner.defs, number, unset
            )
            is_newer = referrer.is_before(FIRST_FLU_VERSION) and not inner.is_before(FIRST_FLU_VERSION)
            is_other = definition.is_shipped and not self.scope.declares_file(definition.name)
            lost = self.hidden.apply(node, (is_other or is_newer) and not load.is_own_save)
            if lost is not None:
                self.warn(*lost)

    def _proto_type(self, head: Token) -> NodeType | None:
        """Return the type of unexpanded instances of a PROTO; None: there is no such PROTO, or it has been
        reported."""
        scope, cursor, load = self.scope, self.cursor, self.load
        try:
            definition = scope.find_proto(head.text)
        except NotFoundError as error:
            places = ", ".join(error.looked)
            found = f"PROTO {head.text}: {error}" + (f"; looked for it in {places}" if places else "")
            if load.skip_missing:
                load.missing.setdefault(head.text, MissingProto(self.source(head), str(error), True))
            # once; otherwise hundreds of instances would hide other missing files
            elif found not in load.reported:
                load.reported.add(found)
                cursor.error(head, found, "", HOW_TO_GET)
            self.missing = head
            return None
        except BrokenProtoError as error:
            if load.is_lenient:
                self._leave_empty(error.problems.problems if error.problems is not None else [])
            elif error.problems is not None:
                self._report_once(list(error.problems.problems))
            elif str(error) not in load.reported:  # reported already: report only the place, once
                load.reported.add(str(error))
                cursor.error(head, str(error), "a PROTO that can be read")
            self.missing = head
            return None
        if definition is None:
            # An unknown name can be a PROTO of an old file, which did not need a declaration.
            if load.skip_missing and self.is_before(FIRST_WITH_EXTERN) and head.text not in self.types:
                load.missing.setdefault(head.text, MissingProto(self.source(head), "", False))
                self.missing = head
            return None
        if head.text in scope.undeclared and not self.is_before(FIRST_WITH_EXTERN):
            tell, kind = (cursor.error, "IMPORTABLE ") if scope.declared_only else (self.warn_once, "")
            tell(head, f"PROTO {head.text} is not declared", f"an {kind}EXTERNPROTO line with its URL")
        for remark in definition.remarks():
            self.warn_once(head, *remark)
        if head.text in scope.elsewhere:
            load.elsewhere.setdefault(head.text, (self.source(head), scope.elsewhere[head.text]))
        return definition.node_type

    def _body(
        self, definition: ProtoDefinition, node: Node, number: int
    ) -> tuple[list[Token], Lines, str, list[SceneError], frozenset[str]]:
        """Return the tokens of the body for one instance, and the parameters that its statements use."""
        if definition.language is None:
            tokens, lines, problems = definition.tokens
            return tokens, lines, definition.file, problems, frozenset()
        load = self.load
        text, printed, given = load.templates.render(definition, node, number)
        for line in printed:
            load.warnings.append(SceneError(*node.source, f"PROTO {definition.name} says: {line}"))
        lines = Lines(text)
        file = definition.file + MADE_BY_TEMPLATE
        tokens, problems = tokenize(text, file, lines)
        return tokens, lines, file, problems, given

    def _fail(self, node: Node, problems: list[SceneError], number: int) -> None:
        """Report a body that cannot be made; if the load is lenient, replace it by an empty node that is
        allowed there."""
        if not self.load.is_lenient:
            self._report_once(problems)
            return
        self._leave_empty(problems)
        made = stand_in_type()
        holder = node.parent.node_type.fields.get(str(node.parent_field)) if node.parent is not None else None
        if self.interface is not None if holder is None else not holder.holds(made):
            made = self.types[node.node_type.bases[0]]
        expand_in_place(node, Node(made, node.source), {}, {}, frozenset(), {}, number)

    def _leave_empty(self, problems: Iterable[SceneError]) -> None:
        """Note problems of a PROTO that is replaced by an empty node."""
        for problem in problems:
            self.load.failed.setdefault(str(problem), Mistake.from_error(problem, "its node is empty"))

    def _report_node(self, node: Node, found: str, expected: str) -> None:
        """Report a problem of a whole node."""
        self._report_once([SceneError(*node.source, found, expected)])

    def _report_once(self, problems: list[SceneError]) -> None:
        """Report problems of a PROTO body once: they are equal for every instance."""
        for problem in problems:
            self.load.problems.setdefault(str(problem), problem)
        if len(self.load.problems) >= MAX_PROBLEMS:
            raise TooManyProblemsError

    def _count(self, node: Node, at: Token) -> None:
        """Count the nodes of a copied tree."""
        size, height = extent(node)
        self.count(size, at)
        if self.is_too_deep(height):
            self.cursor.error(at, f"nodes nested more than {MAX_DEPTH} deep", "a flatter scene")
            raise TooManyProblemsError
