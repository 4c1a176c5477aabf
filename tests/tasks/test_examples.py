import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from optimand.core.errors import InputError
from optimand.core.example import Example
from optimand.tasks.examples import load_examples

WANTED = (
    Example("1", {"q": 'a, "b"\nc'}, "x", ("easy",)),
    Example("two", {"q": "no"}, None, ()),
)
ROWS = [
    {"id": 1, "input": {"q": 'a, "b"\nc'}, "target": "x", "tags": ["easy"]},
    {"id": "two", "input": {"q": "no"}},
]


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("e.jsonl", "\n\n".join(json.dumps(row) for row in ROWS) + "\n"),
        ("e.ndjson", "\r\n".join(json.dumps(row) for row in ROWS)),
        ("e.json", json.dumps(ROWS, indent=2)),
        ("e.json", json.dumps(ROWS)),
        ("e.yaml", yaml.safe_dump(ROWS)),
        (
            "e.YML",
            '- {id: 1, input: {q: "a, \\"b\\"\\nc"}, target: x, tags: [easy]}\n'
            "- {id: two, input: {q: no}}",
        ),
        ("e.csv", 'id,q,target,tags\n1,"a, ""b""\nc",x,easy\n\ntwo,no,,\n'),
        ("e.tsv", 'id\tq\ttarget\ttags\n1\t"a, ""b""\nc"\tx\teasy\ntwo\tno\t\t\n'),
        (
            "e.csv",
            b"\xef\xbb\xbf" + b'id,q,target,tags\n1,"a, ""b""\nc",x,easy\ntwo,no,,\n',
        ),
    ],
)
def test_every_kind_of_file_holds_the_same_examples(tmp_path, name, text):
    assert load_examples(write(tmp_path, name, text)) == WANTED
    assert load_examples(str(tmp_path / name)) == WANTED


def test_lists_of_examples_mappings_and_plain_inputs():
    assert load_examples(WANTED) == WANTED
    assert load_examples(ROWS) == WANTED
    assert [e.input for e in load_examples(["a", 2, {"q": 1}])] == ["a", 2, {"q": 1}]
    assert load_examples([{"question": "q", "target": "t"}])[0].input == {"question": "q"}


def test_ids_are_made_of_the_content_when_all_are_absent(tmp_path):
    one = load_examples(["a", "b"])
    assert [e.id for e in load_examples(["b", "a"])] == [one[1].id, one[0].id]
    assert (
        len(
            {e.id for e in one}
            | {"", *(e.id for e in load_examples([{"input": "a", "target": 1}]))}
        )
        == 4
    )


def test_table_cells_are_text_and_tags_are_split(tmp_path):
    path = write(tmp_path, "e.csv", "input,tags\n1,a; b;\n,c\n")
    first, second = load_examples(path)
    assert (first.input, first.tags, first.target) == ("1", ("a", "b"), None)
    assert second.input == ""


def test_yaml_keeps_no_and_times_and_dates_as_text(tmp_path):
    path = write(
        tmp_path,
        "e.yaml",
        "- {input: q, target: [no, 12:30, 2024-01-02, 007, 1e3, 1.5, 10, true, null_, ~x]}\n",
    )
    assert load_examples(path)[0].target == [
        "no",
        "12:30",
        "2024-01-02",
        "007",
        1000.0,
        1.5,
        10,
        True,
        "null_",
        "~x",
    ]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("e.jsonl", '{"input": 1}\n{"input": }\n', "e.jsonl line 2: broken JSON"),
        ("e.jsonl", '{"input": 1} {"input": 2}', "e.jsonl line 1: broken JSON: Extra data"),
        ("e.jsonl", '\n{"input": NaN}', "e.jsonl line 2: NaN is not JSON"),
        ("e.jsonl", '{"input": 1, "input": 2}', "line 1: the key 'input' is there twice"),
        ("e.jsonl", '{"input": ' + "[" * 100_000, "line 1: broken JSON"),
        ("e.jsonl", '{"input": ' + "[" * 60 + "]" * 60 + "}", "line 1: it is nested more than 50"),
        ("e.jsonl", '{"input": "\\ud83d"}', "line 1: a text holds half of a surrogate pair"),
        ("e.jsonl", '{"input": 1e999}', "line 1: inf is not a number"),
        (
            "e.jsonl",
            '{"id": "a", "input": 1}\n\n{"id": "a", "input": 2}',
            "line 3: the id 'a' as e.jsonl line 1",
        ),
        ("e.jsonl", '{"id": "a", "input": 1}\n{"input": 2}', "line 2: no field 'id'"),
        ("e.jsonl", '{"input": 1}\n{"input": 1}', "line 2: the same content as e.jsonl line 1"),
        ("e.jsonl", '{"id": "", "input": 1}', "line 1: the id is empty"),
        ("e.jsonl", '{"id": 1.5, "input": 1}', "line 1: the id is 1.5"),
        ("e.jsonl", '{"id": true, "input": 1}', "line 1: the id is True"),
        ("e.jsonl", '{"id": "a"}', "line 1: no field 'input'"),
        ("e.jsonl", '{"input": null}', "line 1: the input is empty"),
        ("e.jsonl", '{"input": 1, "tags": 3}', "line 1: tags are 3"),
        ("e.jsonl", '{"input": 1, "targt": 3}', "unknown field 'targt'.*Did you mean 'target'"),
        ("e.jsonl", " \n\n", "e.jsonl: the file holds no examples"),
        ("e.jsonl", b'{"input": 1}\n{"input": "\xff"}', "e.jsonl line 2: byte 0xff is not UTF-8"),
        ("e.json", '[\n{"input": 1},\n{"input": }\n]', "e.json line 3: broken JSON"),
        ("e.json", '[\n{"input": 1},\n{"id": 2}\n]', "e.json line 3: no field 'input'"),
        ("e.json", '[\n{"input": 1}\n{"input": 2}]', "e.json line 3: broken JSON: expected ','"),
        ("e.json", "[1, 2] x", "line 1: broken JSON"),
        ("e.json", "[1,", "line 1: broken JSON"),
        ("e.json", '{"a": 1}', "must be one JSON list"),
        ("e.json", "[]", "holds no examples"),
        ("e.json", "", "holds no examples"),
        ("e.yaml", "- input: 1\n- input: [\n", "e.yaml line 3"),
        ("e.yaml", "- input: 1\n- id: x\n  input: 2\n", "e.yaml line 1: no field 'id'"),
        (
            "e.yaml",
            "- input: 1\n- input: 2\n  input: 3\n",
            "e.yaml line 3: the key 'input' is there twice",
        ),
        ("e.yaml", "- input: !!python/object:os.system {}\n", "e.yaml line 1: could not determine"),
        ("e.yaml", "- input: {1: x}\n", "e.yaml line 1: the key 1 is not text"),
        ("e.yaml", "- input: !!binary aGk=\n", "e.yaml line 1: a bytes is not"),
        ("e.yaml", "- &a [*a]\n", "e.yaml line 1: an alias"),
        ("e.yaml", "a: 1\n", "must be one list"),
        ("e.yaml", "", "holds no examples"),
        ("e.yaml", "- 1\n--- \n- 2", "line 2"),
        ("e.csv", 'id,q\n1,a\n2,"b\nc",d\n3,e\n', "e.csv line 3: 3 cells, but the header has 2"),
        ("e.csv", 'id,q\n1,"a\n', "e.csv line 2: unexpected end of data"),
        ("e.csv", "id,\n1,a\n", "line 1: column 2 of the header has no name"),
        ("e.csv", "q,q\n1,a\n", "line 1: two columns are named 'q'"),
        ("e.csv", 'id,q\n1,"a\nb"\n1,c\n', "e.csv line 4: the id '1' as e.csv line 2"),
        ("e.csv", "id,q\n", "holds no examples"),
        ("e.xlsx", "", "unknown kind of example file"),
    ],
)
def test_faults_name_file_and_line(tmp_path, name, text, message):
    with pytest.raises(InputError, match=message):
        load_examples(write(tmp_path, name, text))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"none.csv: cannot be read: No such file"):
        load_examples(tmp_path / "none.csv")
    (tmp_path / "d.csv").mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        load_examples(tmp_path / "d.csv")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "there are no examples"),
        ([{"input": {1, 2}}], "example 1: a set is not"),
        (["a", float("nan")], "example 2: nan is not"),
        ([Example("a", 1), Example("a", 2)], "example 2: the id 'a' as example 1"),
    ],
)
def test_faults_of_lists_name_the_example(rows, message):
    with pytest.raises(InputError, match=message):
        load_examples(rows)


values = st.recursive(
    st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, min_size=1, max_size=3)
    ),
    max_leaves=5,
)


@given(
    rows=st.lists(values, min_size=1, max_size=4, unique_by=lambda v: json.dumps(v, sort_keys=True))
)
def test_any_json_comes_back_from_jsonl_and_json(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("rows")
    rows = [{"id": str(i), "input": row} for i, row in enumerate(rows)]
    wanted = [row["input"] for row in rows]
    for name, text in (
        ("e.jsonl", "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)),
        ("e.json", json.dumps(rows, indent=1)),
    ):
        assert [e.input for e in load_examples(write(folder, name, text))] == wanted
