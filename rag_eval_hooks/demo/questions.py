"""The demo's questions, and what is right for each: which pages hold the evidence, and which words mark it.

Labels are by page and phrase, not by chunk id, because chunk ids depend on the Python version. A phrase is a stretch of
the sentence that answers the question, the same in Python 3.11, 3.12 and 3.13. `gold.py` turns them into chunk ids.
"""

from dataclasses import dataclass
from typing import Literal

__all__ = ["QUESTIONS", "Evidence", "Kind", "Question"]

Kind = Literal["single", "two_facts", "decoy", "unanswerable"]


@dataclass(frozen=True)
class Evidence:
    """One fact that the answer needs: any chunk of one of the pages that holds one of the phrases states it."""

    topics: tuple[str, ...]
    """Pages of the reference, as in `help("with")`."""
    phrases: tuple[str, ...]
    """Stretches of the stating sentence; line breaks count as blanks."""


@dataclass(frozen=True)
class Question:
    """A question, its kind, and the facts that it needs."""

    text: str
    """What is asked."""
    kind: Kind
    """`two_facts`: one chunk alone does not answer it; `decoy`: another page shares more words with the question than
    the right one."""
    evidence: tuple[Evidence, ...] = ()
    """The facts that are needed, all of them; none where the reference does not answer the question."""


def _one(text: str, topics: str, *phrases: str, kind: Kind = "single") -> Question:
    return Question(text, kind, (Evidence(tuple(topics.split()), phrases),))


def _two(text: str, *evidence: tuple[str, str]) -> Question:
    return Question(text, "two_facts", tuple(Evidence(tuple(topics.split()), (phrase,)) for topics, phrase in evidence))


def _none(text: str) -> Question:
    return Question(text, "unanswerable")


QUESTIONS: tuple[Question, ...] = (
    _one(
        'What happens in a "with" statement if __exit__ returns true after an exception?',
        "with context-managers",
        "If the return value was true, the exception is suppressed",
        "wishes to suppress the exception",
    ),
    _one("What does the break statement terminate?", "break", "It terminates the nearest enclosing loop"),
    _one("What does the pass statement do?", "pass", "is a null operation"),
    _one(
        "How is a chained comparison such as x < y <= z evaluated?",
        "comparisons",
        "Comparisons can be chained arbitrarily",
    ),
    _one(
        "When are default parameter values of a function evaluated?",
        "function",
        "are evaluated from left to right when the function definition is executed",
    ),
    _one("What does str.casefold() return?", "string-methods", "Return a casefolded copy of the string"),
    _one("How does str.zfill() handle a sign prefix?", "string-methods", "by inserting the padding *after* the sign"),
    _one(
        "What does str.partition() return if the separator is not found?",
        "string-methods",
        "containing the string itself, followed by two empty strings",
    ),
    _one(
        "What is the difference between str.removesuffix() and str.rstrip()?",
        "string-methods",
        "will remove a single suffix string rather than all of a set of characters",
        "If the string ends with the *suffix* string",
    ),
    _one(
        "What does the nonlocal statement do?",
        "nonlocal",
        'The "nonlocal" statement causes the listed identifiers to refer to',
    ),
    _one(
        "What is the result of an integer division by zero?",
        "binary",
        'Division by zero raises the "ZeroDivisionError" exception',
    ),
    _one(
        "What does raising a negative number to a fractional power result in?",
        "power",
        'Raising a negative number to a fractional power results in a "complex" number',
    ),
    _one(
        "What does 0.0 raised to a negative power raise?",
        "power",
        'to a negative power results in a "ZeroDivisionError"',
    ),
    _one(
        "How do assert statements behave when optimization is requested?",
        "assert",
        "emits no code for an assert statement when optimization is requested",
    ),
    _one(
        "Which values are considered false in truth value testing?",
        "truth booleans",
        "constants defined to be false",
        "the following values are interpreted as false",
    ),
    _one(
        "What happens when a method defines __eq__ but not __hash__?",
        "customization",
        'will have its "__hash__()" implicitly set to "None"',
    ),
    _one(
        "What does __repr__ compute?", "customization", "to compute the “official” string representation of an object"
    ),
    _one("What is __del__ called for?", "customization", "Called when the instance is about to be destroyed"),
    _one(
        "What does __slots__ prevent?",
        "attribute-access",
        'deny the creation of "__dict__" and *__weakref__*',
    ),
    _one(
        "In what order does dict preserve keys, and does updating a key affect it?",
        "typesmapping",
        "Note that updating a key does not affect the order",
    ),
    _one("What does dict.setdefault() do?", "typesmapping", "insert *key* with a value of *default*"),
    _one(
        "What error does dict.popitem() raise on an empty dictionary?",
        "typesmapping",
        'If the dictionary is empty, calling "popitem()" raises a "KeyError"',
    ),
    _one(
        "How do you write a tuple with one item?",
        "typesseq exprlists",
        "trailing comma is required only to create a",
        "Using a trailing comma for a singleton tuple",
    ),
    _one(
        "What does the debugger command w(here) print?",
        "debugger",
        "Print a stack trace, with the most recent frame at the bottom",
    ),
    _one(
        "How do I set a temporary breakpoint in pdb?",
        "debugger",
        "Temporary breakpoint, which is removed automatically when it is first hit",
    ),
    _one(
        "What does the format option ',' signal?",
        "formatstrings",
        "signals the use of a comma for a thousands separator",
    ),
    _one(
        "Which conversion flags does a format string support?",
        "formatstrings",
        "Three conversion flags are currently supported",
    ),
    _one(
        "What are underscores in integer literals used for?",
        "integers",
        "Underscores are ignored for determining the numeric value of the literal",
    ),
    _one("What does a lambda expression yield?", "lambda", "yields a function object"),
    _one(
        "What makes a list sort stable?",
        "typesseq-mutable typesseq",
        "it guarantees not to change the relative order of elements that compare equal",
    ),
    _one(
        "How do I swap the values of two variables in one statement?",
        "assignment",
        "swaps two variables",
    ),
    _one(
        "How can I hide a name from a star import?",
        "import",
        "which do not begin with an underscore character",
    ),
    # Another page ranks before the right one, on some Python version or on all.
    _one(
        "When is the else clause of a for loop executed?",
        "for",
        'When the iterator is exhausted, the suite in the "else" clause',
        kind="decoy",
    ),
    _one(
        "Does a break in a while loop execute the else clause?",
        "while",
        'terminates the loop without executing the "else" clause',
        kind="decoy",
    ),
    _one(
        "Which error is raised when a local name is used before it has been bound?",
        "naming execmodel",
        'an "UnboundLocalError" exception is raised',
        kind="decoy",
    ),
    _one(
        "In which order are the expressions in an expression list evaluated?",
        "exprlists",
        "The expressions are evaluated from left to right",
        kind="decoy",
    ),
    _one("What does the operator is test for?", "comparisons", "test for an object’s identity", kind="decoy"),
    _one(
        "What does a bare raise re-raise?",
        "raise",
        "re-raises the exception that is currently being handled",
        kind="decoy",
    ),
    _one(
        "What does the from clause of raise do?",
        "raise",
        "is used for exception chaining",
        kind="decoy",
    ),
    _one(
        "When is __getattr__ called?",
        "attribute-access",
        "Called when the default attribute access fails",
        kind="decoy",
    ),
    _one(
        "Can I use else after a loop that was never broken out of?",
        "for while",
        'When the iterator is exhausted, the suite in the "else" clause',
        'the suite of the "else" clause, if present, is executed and the loop terminates',
        kind="decoy",
    ),
    _one(
        "Why is a mutable default argument shared between calls of the function?",
        "function calls",
        "the default parameter value is in effect modified",
        "will be shared by all calls",
        kind="decoy",
    ),
    _one(
        "How can a class make its instances callable like a function?",
        "callable-types specialnames",
        "Called when the instance is “called” as a function",
        kind="decoy",
    ),
    _one(
        "Why can a method not see the names of its class body?",
        "naming execmodel specialnames",
        "still cannot see names defined at the class scope",
        "The scope of names defined in a class block is limited",
        kind="decoy",
    ),
    # One chunk alone does not answer these.
    _two(
        "What do break and continue do in a loop with an else clause?",
        ("break", 'skipping the optional "else" clause'),
        ("continue", "It continues with the next cycle of the nearest enclosing loop"),
    ),
    _two(
        "How do the global statement and the nonlocal statement differ in the bindings they refer to?",
        ("global", "listed identifiers are to be interpreted as globals"),
        ("nonlocal", 'The "nonlocal" statement causes the listed identifiers to refer to'),
    ),
    _two(
        "What do __enter__ and __getattr__ return?",
        ("context-managers with", "bind this method’s return value to the target"),
        ("attribute-access", 'return the (computed) attribute value or raise an "AttributeError"'),
    ),
    _two(
        "What is the difference between str.find() and str.index() when the substring is not found?",
        ("string-methods", 'Return "-1" if *sub* is not found'),
        ("string-methods", 'Like "find()", but raise "ValueError" when the substring is not found'),
    ),
    _two(
        "How do the try statement's finally clause and the with statement's __exit__ deal with a raised exception?",
        ("try", 'it is re-raised at the end of the "finally" clause'),
        ("with", 'its type, value, and traceback are passed as arguments to "__exit__()"'),
    ),
    _two(
        "What do the unary minus operator and the binary minus operator yield?",
        ("unary", "yields the negation of its numeric argument"),
        ("binary", "yields the difference of its arguments"),
    ),
    _two(
        "What do del and return statements do with names and values?",
        ("del", "removes the binding of that name from the local or global namespace"),
        ("return", "leaves the current function call with the expression list"),
    ),
    _two(
        "Which statement ends a loop early, and which one ends a function call?",
        ("break", "It terminates the nearest enclosing loop"),
        ("return", "leaves the current function call with the expression list"),
    ),
    _two(
        "When are __new__ and __del__ called?",
        ("customization", "Called to create a new instance of class *cls*"),
        ("customization", "Called when the instance is about to be destroyed"),
    ),
    _two(
        "How does a for loop get its items, and how does a with statement get its context manager?",
        ("for", "The first item provided by the iterator is then assigned to the target list"),
        ("with", "is evaluated to obtain a context manager"),
    ),
    _two(
        "What do the bytes and the str type hold as items?",
        ("types", "The items are 8-bit bytes"),
        ("types typesseq", "A string is a sequence of values that represent Unicode code points"),
    ),
    _two(
        "What happens when an assignment target is an attribute reference, and when it is a slicing?",
        ("assignment", "That object is then asked to assign the assigned object to the given attribute"),
        ("assignment", "If the target is a slicing"),
    ),
    # The reference does not say, though it uses some of the words.
    _none("How do I install a package with pip?"),
    _none("Who invented the Python programming language, and in which year?"),
    _none("How large is the memory footprint of an empty list in bytes?"),
    _none("How do I send an HTTP request with a custom header?"),
    _none("Which release of Python removes the global interpreter lock by default?"),
    _none("How do I connect to a PostgreSQL database?"),
    _none("What is the default timeout of a socket connection?"),
    _none("How do I make a virtual environment?"),
    _none("What does str.reverse() return?"),
    _none("Which algorithm does the sort() method of a list use?"),
    _none("How does the goto statement leave a loop?"),
    _none("Which exception does a debugger command raise when the network is down?"),
)
