import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimand.core.errors import InputError
from optimand.core.example import Example
from optimand.core.task import ScoreJudge
from optimand.evaluation.judges import Contains, Exact, JsonField, Numeric, Regex
from optimand.evaluation.judges.exact import normalise

JUDGES = [Exact(), Contains(), Numeric(), Regex(), JsonField("a")]
TARGETS = {"exact": "x", "contains": "x", "numeric": 1, "regex": "x", "json_field": "x"}


@pytest.mark.parametrize(
    ("judge", "output", "target", "value"),
    [
        (Exact(), " paris.\n", "Paris", 1),
        (Exact(), "Paris, France", "Paris", 0),
        (Exact(), "Roma", ["Rome", "Roma"], 1),
        (Exact(ignore_case=False), "paris", "Paris", 0),
        (Exact(ignore_punctuation=False), "Paris.", "Paris", 0),
        (Exact(), "the Hague", "Hague", 0),
        (Exact(ignore_articles=True), "The Hague", "Hague", 1),
        (Exact(ignore_articles=True), "a", "A", 1),
        (Exact(ignore_articles=True), "the", "a", 0),
        (Exact(), "314", "3.14", 0),
        (Exact(), "5", "-5", 0),
        (Exact(), "(5).", "5", 1),
        (Exact(), "don't", "dont", 1),
        (Exact(), "well-known", "well known", 1),
        (Exact(), "?!", "!", 0),
        (Exact(), "ﬁne  day", "fine day", 1),
        (Exact(), 4, "4", 1),
        (Exact(), True, "true", 1),
        (Exact(), None, "Paris", 0),
        (Contains(), "It is PARIS, of course", "Paris", 1),
        (Contains(), "Parisian", "Paris", 0),
        (Contains(), "New\n York", "New York", 1),
        (Contains(), "use C++ here", "C++", 1),
        (Contains(ignore_case=False), "paris", "Paris", 0),
        (Contains(), "b", ["a", "b"], 1),
        (Contains(need="all"), "b", ["a", "b"], 0),
        (Contains(need="all"), "b a", ["a", "b"], 1),
        (Numeric(), "So 3 + 4 = 7.", 7, 1),
        (Numeric(), 7.0, "7", 1),
        (Numeric(), "7.1", 7, 0),
        (Numeric(tolerance=0.2), "7.1", 7, 1),
        (Numeric(relative=0.02), "7.1", 7, 1),
        (Numeric(), "1,000", [999, 1000], 1),
        (Numeric(), "none", 7, 0),
        (Numeric(), True, 1, 0),
        (Numeric(), float("nan"), 1, 0),
        (Numeric(), 10**400, 1, 0),
        (Numeric(), 0.1 + 0.2, 0.3, 1),
        (Regex(r"^\d+$"), "42", None, 1),
        (Regex(r"\d"), "a4b", None, 1),
        (Regex(r"\d", full=True), "a4b", None, 0),
        (Regex(), "colour", "colou?r", 1),
        (Regex(), "x", ["a", "x"], 1),
        (JsonField("city"), '```{"city": "paris"}```', "Paris", 1),
        (JsonField("city"), {"city": "Paris"}, {"city": "Paris", "n": 1}, 1),
        (JsonField("n"), '{"n": 2}', [1, 2], 1),
        (JsonField("n"), '{"n": 2.0}', 2, 1),
        (JsonField("n"), '{"n": true}', 1, 0),
        (JsonField("n"), '{"m": 2}', 2, 0),
        (JsonField("n"), "two", 2, 0),
        (JsonField("n"), 2, 2, 0),
    ],
)
def test_verdicts(tools, judge, output, target, value):
    judgement = tools.judged(judge, output, target)
    assert (judgement.value, judgement.status) == (value, "ok")
    assert bool(judgement.feedback) == (value == 0)


def test_feedback_says_what_was_wanted_and_what_came(tools):
    assert tools.judged(Exact(), "Rome").feedback == "wanted 'Paris', got 'Rome'"
    assert len(tools.judged(Exact(), "x" * 5000).feedback) < 300


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.name)
@pytest.mark.parametrize("status", ["invalid", "crash", "timeout", "unknown"])
def test_failed_runs_score_nothing_and_unknown_is_no_loss(tools, judge, status):
    judgement = tools.judged(judge, "x 1", TARGETS[judge.name], status)
    assert judgement.value == (None if status == "unknown" else 0)
    assert judgement.status == ("unknown" if status == "unknown" else "ok")


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.name)
def test_judges_keep_to_the_protocol(judge):
    assert isinstance(judge, ScoreJudge)
    assert judge.kind == "score"


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.name)
@pytest.mark.parametrize("target", [None, [], [None]])
def test_a_missing_target_names_judge_and_example(tools, judge, target):
    with pytest.raises(InputError, match=f"judge '{judge.name}': example 'e1' has no target"):
        judge.require(Example("e1", "q", target))
    with pytest.raises(InputError):
        tools.judged(judge, "x", target)


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.name)
@given(output=st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text()))
def test_no_output_makes_a_judge_raise(judge, output):
    from optimand.core.record import Record

    example = Example("e1", "q", TARGETS[judge.name])
    assert judge.score(example, Record("a", "e1", output=output), 0).value in (0.0, 1.0)


@pytest.mark.parametrize(
    ("judge", "target", "message"),
    [
        (Numeric(), "seven", "target 'seven' of example 'e1' is not a number"),
        (Numeric(), True, "not a number"),
        (Regex(), "(", "is broken"),
        (JsonField("a"), {"b": 1}, "no field 'a'"),
        (Contains(), ["x", " "], "empty text"),
    ],
)
def test_unusable_targets_are_named(judge, target, message):
    with pytest.raises(InputError, match=message):
        judge.require(Example("e1", "q", target))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Contains(need="some"),
        lambda: Numeric(tolerance=-1),
        lambda: Numeric(relative=float("nan")),
        lambda: Regex("("),
    ],
)
def test_bad_options_are_refused(make):
    with pytest.raises(InputError):
        make()


def test_fingerprints_follow_the_options():
    judges = [Exact(), Exact(ignore_case=False), Contains(), Numeric(), Numeric(tolerance=1)]
    assert len({judge.fingerprint() for judge in judges}) == 5
    assert Exact().fingerprint() == Exact().fingerprint()


@given(st.text())
def test_normalising_twice_changes_nothing_and_leaves_something(text):
    options = {"case": True, "punctuation": True, "articles": False}
    once = normalise(text, **options)
    assert (
        normalise(once, **options).replace(" ", "") == once.replace(" ", "") or not once.isascii()
    )
    assert bool(once) == bool(text.split())
