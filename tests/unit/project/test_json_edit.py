"""Editing a JSON text changes what is asked for and leaves every other character alone."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.project.json_edit import ShapeError, append_item, remove_value, set_value
from gnomon.project.jsonc import JsonSyntaxError, parse


def edit(text: str, path: list[str | int], value: Any) -> str:
    """Set a value in a document that may have comments."""
    return set_value(text, path, value, comments=True)


def cut(text: str, path: list[str | int]) -> str:
    """Remove a value from a document that may have comments."""
    return remove_value(text, path, comments=True)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "n": 1\n}\n'),
        ("\ufeff", '\ufeff{\n  "n": 1\n}\n'),
        ("// mine", '// mine\n{\n  "n": 1\n}\n'),
        ("{}", '{\n  "n": 1\n}'),
        ("{\n}\n", '{\n  "n": 1\n}\n'),
        ('{"a": 1}', '{"a": 1, "n": 1}'),
        ('{"a":1}', '{"a":1,"n":1}'),
        ('{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"n": 1\n}'),
        ('{\r\n    "a": 1\r\n}\r\n', '{\r\n    "a": 1,\r\n    "n": 1\r\n}\r\n'),
        ('{\n  "a": 1, // one\n  // end\n}', '{\n  "a": 1, // one\n  // end\n  "n": 1,\n}'),
        ('{\n  "a": 1 // one\n}', '{\n  "a": 1, // one\n  "n": 1\n}'),
        ('{"a": 1 // one\n}', '{"a": 1, // one\n  "n": 1\n}'),
        ("{ /* none */ }", '{ /* none */\n  "n": 1\n}'),
        ("{ // none\n}", '{ // none\n  "n": 1\n}'),
        ('{\n  "a": 1 }', '{\n  "a": 1,\n  "n": 1\n}'),
        ('{\n  "n": 2, // old\n  "z": 1.0e1\n}', '{\n  "n": 1, // old\n  "z": 1.0e1\n}'),
        ('{"n": 2, "n": 3}', '{"n": 2, "n": 1}'),
    ],
)
def test_member_is_set_in_the_style_of_the_document(before: str, after: str) -> None:
    """Indentation, line ends, comments and trailing commas are those that were there."""
    assert edit(before, ["n"], 1) == after


def test_objects_on_the_way_are_made() -> None:
    """A path into nothing gets its objects, indented like the rest."""
    assert (
        edit('{\n    "a": 1\n}\n', ["s", "gnomon"], {"args": ["serve"]})
        == '{\n    "a": 1,\n    "s": {\n        "gnomon": {\n            "args": [\n                "serve"\n'
        "            ]\n        }\n    }\n}\n"
    )


def test_value_that_is_there_already_changes_nothing() -> None:
    """The same value in another spelling is left in that spelling."""
    text = '{"a" : {"x":[1 , 2]}} // end'
    assert edit(text, ["a"], {"x": [1, 2]}) == text


def test_true_does_not_pass_for_one() -> None:
    """Values of different JSON types are different."""
    assert edit('{"a": 1}', ["a"], value=True) == '{"a": true}'


def test_item_inside_an_array_can_be_set() -> None:
    """A place in an array is a step of a path."""
    assert edit('{"a": [{"b": 1}, {"b": 2}]}', ["a", 1, "b"], 3) == '{"a": [{"b": 1}, {"b": 3}]}'


def test_scalar_on_the_way_is_refused() -> None:
    """What is no object gets no members."""
    with pytest.raises(ShapeError, match=r"^a\.b is not an object$"):
        edit('{"a": {"b": []}}', ["a", "b", "c"], 1)


def test_file_name_that_is_no_text_is_escaped() -> None:
    """A lone surrogate can be written to disk."""
    assert edit("{}", ["a"], "\udcff").encode() == b'{\n  "a": "\\udcff"\n}'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{\n  "n": {\n    "x": 1\n  }\n}\n', "{}\n"),
        ('{"n": 1,}', "{}"),
        ('{\n  "a": 1,\n  "n": 2\n}', '{\n  "a": 1\n}'),
        ('{\n  "n": 2,\n  "a": 1\n}', '{\n  "a": 1\n}'),
        ('{"a": 1, "n": 2}', '{"a": 1}'),
        ('{"n": 2, "a": 1}', '{"a": 1}'),
        ('{"a":1,"n":2,"b":3}', '{"a":1,"b":3}'),
        ('{\r\n  "a": 1,\r\n  "n": 2\r\n}', '{\r\n  "a": 1\r\n}'),
        ('{\n  // a\n  "a": 1, // one\n  // n\n  "n": 2 // two\n}', '{\n  // a\n  "a": 1 // one\n  // n\n  // two\n}'),
        ('{\n  "n": 2 /* two */, "a": 1\n}', '{\n  /* two */ "a": 1\n}'),
        ('{\n  "a": 1,\n  "n": 2,\n}', '{\n  "a": 1,\n}'),
        ('{\n  // why\n  "n": 2\n}', "{\n  // why\n}"),
        ('{"n": 1, "n": 2, "a": 3}', '{"a": 3}'),
        ('{"a": 1}', '{"a": 1}'),
        ("", ""),
    ],
)
def test_member_is_removed_and_comments_stay(before: str, after: str) -> None:
    """The member goes with its comma and its line."""
    assert cut(before, ["n"]) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{\n  "a": [\n    1\n  ]\n}', '{\n  "a": [\n    1,\n    2\n  ]\n}'),
        ('{\n  "a": [1]\n}', '{\n  "a": [1, 2]\n}'),
        ('{\n  "a": []\n}', '{\n  "a": [\n    2\n  ]\n}'),
        ("{}", '{\n  "a": [\n    2\n  ]\n}'),
    ],
)
def test_item_is_added_at_the_end_of_an_array(before: str, after: str) -> None:
    """An array is made where there is none."""
    assert append_item(before, ["a"], 2, comments=True) == after


def test_item_is_not_added_to_what_is_no_array() -> None:
    """An object in the place of the array is refused."""
    with pytest.raises(ShapeError, match="a is not an array"):
        append_item('{"a": {}}', ["a"], 2, comments=True)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("{", "line 1, column 2"),
        ('{\n  "a": 1\n  "b": 2\n}', "line 3, column 3"),
        ('{"a" 1}', "line 1, column 6"),
        ("{'a': 1}", "line 1, column 2"),
        ('{"a": 01}', "line 1, column 8"),
        ('{"a": nul}', "line 1, column 7"),
        ('{"a": "x\n"}', "line 1, column 7"),
        ('{"a": "\\x"}', "line 1, column 8"),
        ("{} x", "line 1, column 4"),
        ("[1,,2]", "line 1, column 4"),
        ("{} /* open", "line 1, column 4"),
        ("[" * 200, "line 1, column 102"),
        ('{"a": ' + "9" * 5000 + "}", "line 1, column 7"),
    ],
)
def test_broken_text_is_refused_with_its_place(text: str, place: str) -> None:
    """Line and column are those of the first character that cannot be."""
    with pytest.raises(JsonSyntaxError, match=f"^{place}: "):
        edit(text, ["n"], 1)


@pytest.mark.parametrize("text", ["{} // c", '{"a": 1,}', "/* c */ {}"])
def test_comments_and_trailing_commas_are_refused_where_the_reader_has_none(text: str) -> None:
    """A program that reads plain JSON would ignore the whole file, so it is not called mended."""
    with pytest.raises(JsonSyntaxError):
        set_value(text, ["n"], 1, comments=False)


BLANKS = st.sampled_from(["", " ", "\n", "\n  ", "\t", " /* c1 */ ", " // c2\n", "\r\n"])
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """An object with blanks and comments anywhere, written by another hand than the editor."""

    def sep() -> str:
        return draw(BLANKS)

    def chance() -> bool:
        return draw(st.booleans())

    def written(value: Any) -> str:
        if isinstance(value, dict):
            parts = [f"{sep()}{json.dumps(k)}{sep()}:{sep()}{written(v)}{sep()}" for k, v in value.items()]
        elif isinstance(value, list):
            parts = [f"{sep()}{written(v)}{sep()}" for v in value]
        else:
            return json.dumps(value, ensure_ascii=chance())
        comma = "," + sep() if parts and chance() else ""
        opener, closer = "{}" if isinstance(value, dict) else "[]"
        return opener + (",".join(parts) + comma if parts else sep()) + closer

    return draw(BLANKS) + written(draw(st.dictionaries(st.text(max_size=3), VALUES, max_size=4))) + draw(BLANKS)


def comments_of(text: str) -> int:
    """How many of the generated comments a text has."""
    return len(re.findall(r"/\* c1 \*/|// c2(?=\r?\n)", text))


def plain(text: str) -> Any:
    """The value of a document."""
    root = parse(text, comments=True)
    assert root is not None
    return root.plain()


@given(text=documents(), value=VALUES)
def test_setting_and_removing_keeps_all_else(text: str, value: Any) -> None:
    """Other members, their order and every comment survive; doing it twice changes nothing; removing undoes it."""
    before = plain(text)
    changed = edit(text, ["servers", "gnomon"], value)
    assert plain(changed) == {**before, "servers": {"gnomon": value}}
    assert comments_of(changed) == comments_of(text)
    assert edit(changed, ["servers", "gnomon"], value) == changed
    removed = cut(changed, ["servers", "gnomon"])
    assert plain(removed) == {**before, "servers": {}}
    assert comments_of(removed) == comments_of(text)


@given(text=documents(), data=st.data())
def test_any_member_can_be_removed(text: str, data: st.DataObject) -> None:
    """Whatever stands around a member, the others and all comments outside it stay."""
    before = plain(text)
    if not before:
        return
    key = data.draw(st.sampled_from(sorted(before)))
    assert plain(cut(text, [key])) == {k: v for k, v in before.items() if k != key}
