"""What the scripted model answers to our prompts and those of textgrad and dspy; plain Python.

Each prompt is answered in the form it asks for, by the rule `mutate` and by what it shows alone.
"""

from __future__ import annotations

import json
import random
import re

from benchmarks.improve.common import mutate

__all__ = ["dspy_reply", "our_reply", "textgrad_reply"]

_MISSING = re.compile(r"missing (t\d+)")


def our_reply(asked: str, rng: random.Random) -> str:
    """A critic's word (what is named as missing, if anything), or a new version of a part."""
    missing = _MISSING.findall(asked)
    if "You do not correct it" in asked or "you do not rewrite it" in asked:
        return f"missing {missing[-1]}" if missing else "Nothing."
    text = asked.rpartition('<part name="value">\n')[2].partition("\n</part>")[0]
    return f'<part name="value">\n{mutate(text, missing, rng)}\n</part>'


def textgrad_reply(prompt: str, rng: random.Random) -> str:
    """A gradient (what is named as missing, else nothing), or the improved variable.

    The text is read from the conversation: the optimizer's own copy is cut after 20 words.
    """
    if "<IMPROVED_VARIABLE>" not in prompt:
        found = _MISSING.findall(prompt)
        return f"missing {found[-1]}" if found else ""
    text = re.findall(r"<LM_SYSTEM_PROMPT> (.*?) </LM_SYSTEM_PROMPT>", prompt, re.DOTALL)[0]
    said = " ".join(re.findall(r"<FEEDBACK>([^<]*)</FEEDBACK>", prompt))
    better = mutate(text, sorted(_MISSING.findall(said)), rng)
    return f"<IMPROVED_VARIABLE>{better}</IMPROVED_VARIABLE>"


def dspy_reply(asked: str, rng: random.Random) -> str:
    """All output fields that a prompt asks for, in the form of dspy's chat or JSON adapter."""
    shown = dict(re.findall(r"^\[\[ ## (\w+) ## \]\]\n(.*?)(?=^\[\[ ## |\Z)", asked, re.M | re.S))
    if "JSON object" in asked and "## ]]`" not in asked:
        names = re.findall(r"`(\w+)`", asked.rpartition("JSON object")[2])
        return json.dumps({name: _field(name, shown, rng) for name in names})
    wanted = [name for name in re.findall(r"\[\[ ## (\w+) ## \]\]`", asked) if name != "completed"]
    answers = {name: _field(name, shown, rng) for name in wanted}
    lines = [f"[[ ## {name} ## ]]\n{value}\n" for name, value in answers.items()]
    return "\n".join([*lines, "[[ ## completed ## ]]"])


def _field(name: str, shown: dict[str, str], rng: random.Random) -> str:
    if name == "module_advice":  # SIMBA: what is said here is put behind the instruction
        text = shown["modules_defn"].rpartition("Original Instructions:")[2].strip("- \n\t")
        return json.dumps({"step": _added(text, shown["worse_reward_info"], rng)})
    if name in ("proposed_instruction", "improved_instruction", "new_instruction"):
        return mutate(_current(shown), _MISSING.findall(" ".join(shown.values())), rng)
    return "outcome:" if name.startswith("proposed_prefix") else "COMPLETE"


def _current(shown: dict[str, str]) -> str:
    """The instruction that is shown; of several, which are sorted by score, the best."""
    tried = re.findall(r"Instruction #\d+: ([^»\n]*)", shown.get("attempted_instructions", ""))
    known = shown.get("current_instruction", shown.get("basic_instruction", ""))
    return tried[-1].strip() if tried else known.strip()


def _added(text: str, said: str, rng: random.Random) -> str:
    """The word that the rule adds, drawn anew while it would take one out."""
    for _ in range(100):
        words, better = text.split(), mutate(text, _MISSING.findall(said), rng).split()
        if len(better) > len(words) or len(set(better)) > len(set(words)):
            return better[-1]
    return ""
