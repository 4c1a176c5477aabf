import asyncio

import pytest

from optimand import TextTask
from optimand.core.errors import InputError
from optimand.core.task import PairJudge, ScoreJudge
from optimand.evaluation.judges import Desk, Exact, Human, HumanScore, Margin, MemoryDesk
from optimand.llm import Scripted


class Person:
    """Answers what lies on the desk, at the third look."""

    def __init__(self, answer):
        self.desk, self.answer, self.looks, self.seen = MemoryDesk(), answer, 0, []

    async def sleep(self, seconds):
        self.looks += 1
        await asyncio.sleep(0)
        if self.looks >= 3:
            for key, question in list(self.desk.questions.items()):
                self.seen.append(question)
                self.desk.give(key, self.answer(question))


def longer(question):
    return {"choice": "first" if len(question["first"]) > len(question["second"]) else "second"}


def test_preferences_are_blind_to_names_and_order(tools):
    for seed in range(10):
        person = Person(longer)
        judge = Human(person.desk, sleep=person.sleep)
        assert isinstance(judge, PairJudge)
        assert tools.compared(judge, "much longer", "a", seed).value == 1
        assert "ca" not in str(person.seen)
        assert person.looks == 3
    shown = set()
    for seed in range(20):
        person = Person(longer)
        tools.compared(Human(person.desk, sleep=person.sleep), "much longer", "a", seed)
        shown.add(person.seen[0]["first"])
    assert shown == {"much longer", "a"}


def test_ties_and_comments(tools):
    person = Person(lambda question: {"choice": "tie", "comment": "both fine"})
    judgement = tools.compared(Human(person.desk, sleep=person.sleep), "x", "y")
    assert judgement.value == 0.5
    assert judgement.feedback.endswith("both fine")
    assert judgement.details["lengths"] == [1, 1]


@pytest.mark.parametrize("answer", [{}, {"choice": "left"}, {"choice": ["first"]}])
def test_an_answer_that_is_none_is_never_a_loss(tools, answer):
    person = Person(lambda question: answer)
    judgement = tools.compared(Human(person.desk, sleep=person.sleep), "x", "y")
    assert (judgement.value, judgement.status) == (None, "invalid")


def test_a_run_taken_up_again_finds_its_answers(tools):
    person = Person(longer)
    judge = Human(person.desk, sleep=person.sleep)
    first = tools.compared(judge, "xx", "y", 5)

    async def never(seconds):
        raise AssertionError("the answer is on the desk")

    assert tools.compared(Human(person.desk, sleep=never), "xx", "y", 5) == first
    assert len(person.seen) == 1


def test_settled_pairs_ask_nobody(tools):
    desk = MemoryDesk()
    assert tools.compared(Human(desk), "same", "same").value == 0.5
    assert desk.questions == {}


def test_grades(tools):
    person = Person(lambda question: {"score": 4, "comment": "good"})
    judge = HumanScore(person.desk, sleep=person.sleep, scale=[0, 10])
    assert isinstance(judge, ScoreJudge)
    judgement = tools.judged(judge, "Paris")
    assert (judgement.value, judgement.feedback) == (0.4, "good")
    assert person.seen[0]["output"] == "Paris"
    assert person.seen[0]["scale"] == [0, 10]


@pytest.mark.parametrize("grade", [None, "4", True, 11, -1, float("nan")])
def test_grades_off_the_scale_are_invalid(tools, grade):
    person = Person(lambda question: {"score": grade})
    judge = HumanScore(person.desk, sleep=person.sleep, scale=(0, 10))
    assert tools.judged(judge, "x").status == "invalid"


def test_desk_contract():
    desk = MemoryDesk()
    assert isinstance(desk, Desk)
    desk.ask({"q": 1}, "k")
    desk.ask({"q": 2}, "k")
    assert desk.questions == {"k": {"q": 1}}
    assert desk.answer("k") is None
    desk.give("k", {"choice": "first"})
    desk.ask({"q": 1}, "k")
    assert desk.questions == {}
    assert desk.answer("k") == {"choice": "first"}
    with pytest.raises(KeyError):
        desk.give("k", {})


def test_bad_scale_and_fingerprint():
    with pytest.raises(InputError, match="scale"):
        HumanScore(MemoryDesk(), scale=(5, 1))
    one = Human(MemoryDesk(), interval=1).fingerprint()
    assert one == Human(MemoryDesk(), interval=9).fingerprint()
    assert one != Human(MemoryDesk(), criteria="Wit?").fingerprint()


@pytest.mark.parametrize("shown", [False, True])
def test_the_target_is_asked_along_only_where_it_is_shown(tools, shown):
    person = Person(lambda question: {"choice": "tie", "score": 3})
    tools.compared(Human(person.desk, sleep=person.sleep, show_target=shown), "x", "y")
    judge = HumanScore(person.desk, sleep=person.sleep, show_target=shown)
    tools.judged(judge, "x")
    assert [question.get("target") for question in person.seen] == ["Paris" if shown else None] * 2
    assert judge.fingerprint() != HumanScore(person.desk, show_target=not shown).fingerprint()


@pytest.mark.parametrize(("width", "expected"), [(1, 1), (3, 3), (99, 16)])
def test_a_task_runs_no_further_ahead_of_a_person(width, expected):
    clients = {"m": Scripted(lambda request: "x", width=16)}
    judges = (
        Human(MemoryDesk(), width=width),
        HumanScore(MemoryDesk(), width=width),
        Margin(HumanScore(MemoryDesk(), width=width)),
    )
    for judge in judges:
        assert TextTask([{"q": "a"}], judge, clients).width == expected
    assert TextTask([{"q": "a", "target": "b"}], Margin(Exact()), clients).width == 16
