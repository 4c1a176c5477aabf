"""Warnings about what a search found, and silence about what is harmless."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimand.evaluation.hygiene import warnings_about
from optimand.evaluation.overfit import Gap

START = {"system": "Answer the question in one word.", "prompt": "{input}"}
TRAIN = [
    ("What is the capital of France?", "Paris"),
    ("What is the capital of Italy?", "Rome"),
    ("Janet has 16 ducks that lay an egg a day, and sells 9. How many are left?", 7),
    ("Which gas do plants take in from the air when the sun shines on them?", "carbon dioxide"),
    ("Who wrote the tragedy of Hamlet?", "the playwright William Shakespeare"),
]


def said(system, **options):
    found = warnings_about("cand", START, {**START, "system": system}, train=TRAIN, **options)
    return "\n".join(found)


def test_much_longer_than_the_start():
    text = said(" ".join(f"Consider point {i} of the matter." for i in range(40)))
    assert "characters" in text
    assert "times the start's" in text


def test_repeated_sentences():
    rule = "Always check the units of the answer."
    assert "says the same 3 times: 'always check the units" in said(f"{rule} Yes. {rule}\n{rule}")


def test_an_input_is_quoted():
    text = said(
        "Example: Which gas do plants take in from the air when the sun shines on them? Say."
    )
    assert "quotes the inputs of 1 training example, such as 'Which gas" in text


@pytest.mark.parametrize(
    ("system", "answer"),
    [
        ("Remember: the capital of France is Paris.", "Paris"),
        ("Hamlet is by the playwright William Shakespeare.", "the playwright William Shakespeare"),
        ("Plants take the gas carbon dioxide.", "carbon dioxide"),
    ],
)
def test_an_answer_is_given_away(system, answer):
    assert f"holds the answers of 1 training example, such as '{answer}'" in said(system)


def test_the_judges_words():
    judge = {"type": "rubric", "rubric": "Full marks for naming the source. Be strict about dates."}
    text = said("Answer. Full marks for naming the source.", judge=judge)
    assert "repeats the judge's own words, 'Full marks for naming the source.'" in text
    assert said("Name the source and mind the dates.", judge=judge) == ""


@pytest.mark.parametrize(
    "system",
    [
        "Answer in one word. Name cities, people and gases by their usual names.",
        "Think about the capital first, then answer.\n- be short\n- be exact\n- be kind",
        "Input:\n---\nOutput:\n---\nInput:\n---\nOutput:\n---\nInput:\n",
        "Do 7 checks before you answer. Take your time.",
        "Romeo is not Rome.",
        "",
    ],
)
def test_harmless_texts_are_left_alone(system):
    assert said(system) == ""


def test_labels_are_no_answers():
    train = [(f"The film number {i} was a long film", "positive" if i % 2 else "negative")
             for i in range(20)]  # fmt: skip
    best = {"system": "If the film number was long and good say positive, else negative."}
    assert warnings_about("c", {"system": "Say."}, best, train=train) == ()


def test_what_the_start_had_is_no_news():
    start = {"system": "The capital of France is Paris. " * 4}
    train = [("What is the capital of France?", "Paris")]
    judge = {"criteria": "The capital of France is Paris."}
    assert warnings_about("c", start, start, train=train, judge=judge) == ()


def test_text_shared_by_the_examples_is_no_quote():
    boiler = "Read the following passage and answer the question below it."
    train = [({"task": boiler, "q": f"number {i}"}, "x") for i in range(5)]
    assert warnings_about("c", {"s": "a"}, {"s": boiler}, train=train) == ()


def gap(train, val, n=40):
    return Gap([float(i < train * n) for i in range(n)], [float(i < val * n) for i in range(n)])


def test_a_gap_that_has_grown():
    found = warnings_about("c", {}, {}, gaps=(gap(0.5, 0.5), gap(0.95, 0.5)))
    assert "the gap has grown by 0.450 since the start" in found[0]


@pytest.mark.parametrize(
    ("start", "best"),
    [
        (gap(0.5, 0.5), gap(0.6, 0.55)),  # luck
        (gap(0.9, 0.5), gap(0.95, 0.5)),  # val was harder from the first
        (gap(0.5, 0.5), Gap([1.0] * 3, [0.5] * 24)),  # too few to say
        (Gap([], [0.5] * 24), Gap([], [0.9] * 24)),  # never ran on train
        (gap(0.5, 0.5), gap(0.5, 0.95)),
    ],
)
def test_gaps_that_say_nothing(start, best):
    assert warnings_about("c", {}, {}, gaps=(start, best)) == ()


@given(st.text(max_size=300), st.text(max_size=300), st.text(max_size=100))
def test_any_text_is_borne(before, after, answer):
    warnings_about("c", {"s": before}, {"s": after}, train=[(before, answer), ([after], {"a": 1})])


@pytest.mark.parametrize("unit", ["a ", "word ", "A b. ", "\n", "12 ", "Say it. "])
def test_long_texts_take_no_longer(unit):
    text = unit * (200_000 // len(unit))
    train = [(f"{text[:500]} {i}", f"answer {i}") for i in range(200)]
    began = time.process_time()
    warnings_about("c", {"s": ""}, {"s": text}, train=train, judge={"rubric": text})
    assert time.process_time() - began < 2.0


def test_a_short_answer_behind_its_whole_input_is_given_away():
    train = [(f"question {i}", f"ans{i}") for i in range(100)]
    text = "Answer in one word. question 58 -> ans58. question 59 -> ans59."
    (warning,) = warnings_about("cand", START, {**START, "system": text}, train=train)
    assert "holds the answers of 2 training examples" in warning
    assert not warnings_about("cand", START, {**START, "system": "Say ans58."}, train=train)
