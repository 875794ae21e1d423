"""Reader of XML to items, with the standard library's parser and all dangerous features of XML refused.

It refuses entities (except the predefined ones such as `&lt;`), ignores files and addresses that the
file names, and limits the depth and the number of elements. Comments are ignored.
"""

from __future__ import annotations

from xml.parsers import expat

from sim_core.base.errors import SceneError, SceneErrors
from sim_core.scene.node import Source
from sim_core.scene.x3d.scenery_item import MAX_DEPTH, MAX_ITEMS, Item
from sim_core.scene.xml_comments import without_comments

MAX_BYTES = 100_000_000


def read_xml(text: str, file: str, with_content: bool = False) -> Item:
    """Return the root element.

    Args:
        text: text of the file.
        file: its name, for messages.
        with_content: also store the text between tags in `Item.content`.

    Raises:
        SceneErrors: the text is not well-formed, or exceeds a limit.
    """
    reader = _XmlParser(file)
    if with_content:
        reader.parser.CharacterDataHandler = reader.content
    try:
        if len(text) > MAX_BYTES:
            raise SceneError(file, 0, 0, f"more than {MAX_BYTES} characters", "a smaller file")
        reader.parser.Parse(without_comments(text).encode(), True)
    except expat.ExpatError as error:
        found = expat.errors.messages[error.code]
        problem = SceneError(file, error.lineno, error.offset + 1, found, "well-formed XML")
        raise SceneErrors([problem]) from None
    except SceneError as error:
        raise SceneErrors([error]) from None
    assert reader.root is not None  # without an element expat raises an error
    return reader.root


class _XmlParser:
    def __init__(self, file: str) -> None:
        self.file = file
        self.root: Item | None = None
        self.open: list[Item] = []
        self.count = 0
        self.parser = expat.ParserCreate("UTF-8")
        self.parser.buffer_text = True
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self.parser.StartElementHandler = self.start_element
        self.parser.EndElementHandler = self.end
        self.parser.EntityDeclHandler = self.refuse_entity
        self.parser.UnparsedEntityDeclHandler = self.refuse_entity
        self.parser.ExternalEntityRefHandler = self.refuse_reference
        self.parser.SkippedEntityHandler = self.refuse_reference

    def problem(self, found: str, expected: str) -> SceneError:
        line, column = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1
        return SceneError(self.file, line, column, found, expected)

    def start_element(self, name: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > MAX_ITEMS:
            raise self.problem(f"more than {MAX_ITEMS} elements", "a smaller file")
        if len(self.open) >= MAX_DEPTH:
            raise self.problem(f"elements nested more than {MAX_DEPTH} deep", "a flatter file")
        source = Source(self.file, self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1)
        item = Item(name.rsplit(":", 1)[-1], source, attributes)
        item.def_name = attributes.pop("DEF", None)
        item.use_name = attributes.pop("USE", None)
        holder = attributes.pop("containerField", "")
        if self.open:
            self.open[-1].children.append((holder, item))
        elif self.root is None:
            self.root = item
        self.open.append(item)

    def content(self, text: str) -> None:
        self.open[-1].content += text

    def end(self, name: str) -> None:
        self.open.pop()

    def refuse_entity(self, *_: object) -> None:
        raise self.problem("an entity", "a file that defines none")

    def refuse_reference(self, *_: object) -> bool:
        raise self.problem("a reference to an entity", "plain text")
