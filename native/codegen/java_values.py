"""Java classes that differ only in the type of their elements: pointers, vectors and indexers."""

from __future__ import annotations

from dataclasses import dataclass

from native.codegen.java_templates import INDEXER, POINTER, VECTOR


@dataclass(frozen=True)
class Element:
    """A primitive type of Java and the words that go with it."""

    name: str  # as in FloatPointer
    java: str  # float
    size: int  # bytes
    noun: str  # for documentation, plural
    zero: str = "0"
    accessor: str | None = None  # as in ByteBuffer.getFloat, where it is not the name
    read: str = "@get@"  # what an indexer makes of the buffer's element
    write: str = "value"


NUMBERS = (
    Element("Short", "short", 2, "16-bit integers", "(short) 0"),
    Element("Int", "int", 4, "32-bit integers"),
    Element("Long", "long", 8, "64-bit integers"),
    Element("Float", "float", 4, "32-bit floating-point numbers"),
    Element("Double", "double", 8, "64-bit floating-point numbers"),
)

VECTORS = (
    *NUMBERS,
    Element("Byte", "byte", 1, "bytes", "(byte) 0"),
    Element("Bool", "boolean", 1, "booleans", "false"),
)

INDEXED = (
    *NUMBERS,
    Element("Byte", "byte", 1, "bytes", accessor=""),
    Element("UByte", "int", 1, "unsigned bytes", accessor="", read="@get@ & 0xff", write="(byte) value"),
    Element("Boolean", "boolean", 1, "booleans", accessor="", read="@get@ != 0", write="(byte) (value ? 1 : 0)"),
)


def render(template: str, element: Element) -> str:
    """Fill the words for one element type into a template."""
    words = {
        "Name": element.name,
        "type": element.java,
        "size": str(element.size),
        "noun": element.noun,
        "Noun": element.noun[0].upper() + element.noun[1:],
        "read": element.read,
        "write": element.write,
        "get": "memory().get@Accessor@(place)",
        "Accessor": element.name if element.accessor is None else element.accessor,
        "zero": element.zero,
        "zeros": "false" if element.java == "boolean" else "zeros",
    }
    for word, text in words.items():
        template = template.replace(f"@{word}@", text)
    return template


def value_classes() -> dict[str, str]:
    """Path below the generated Java sources, and text, of every class made here."""
    files = {f"org/onetape/{e.name}Pointer.java": render(POINTER, e) for e in NUMBERS}
    files.update({f"org/onetape/{e.name}Vector.java": render(VECTOR, e) for e in VECTORS})
    files.update({f"org/onetape/{e.name}Indexer.java": render(INDEXER, e) for e in INDEXED})
    return files
