"""Regular English plurals, for units (`1 coin` of the field `coins`) and the names of sets (`seats`, all of the type `seat`)."""

from __future__ import annotations


def plural_forms(name: str) -> tuple[str, ...]:
    """Regular plurals a name may have, likeliest first."""
    if name.endswith("y") and name[-2:-1] not in tuple("aeiou"):
        return (name[:-1] + "ies", name + "s")
    if name.endswith("f") and not name.endswith("ff"):
        return (name + "s", name[:-1] + "ves")
    if name.endswith("fe"):
        return (name + "s", name[:-2] + "ves")
    if name.endswith(("s", "x", "ch", "sh")):
        return (name + "es", name + "s")
    return (name + "s", name + "es")


def with_article(noun: str) -> str:
    """`a row`, `an income`."""
    return f"{'an' if noun[:1] in tuple('aeiou') else 'a'} {noun}"


def singular_forms(name: str) -> tuple[str, ...]:
    """The name itself and what it may be a regular plural of."""
    forms = [name]
    if name.endswith("ies"):
        forms.append(name[:-3] + "y")
    if name.endswith("ves"):
        forms += [name[:-3] + "f", name[:-3] + "fe"]
    if name.endswith("es"):
        forms.append(name[:-2])
    if name.endswith("s"):
        forms.append(name[:-1])
    return tuple(forms)


def singular(name: str) -> str:
    """The noun whose likeliest plural this is; empty if it looks like no plural."""
    return next((form for form in singular_forms(name)[1:] if plural_forms(form)[0] == name), "")


def same_noun(a: str, b: str) -> bool:
    """Whether two words are one noun, in singular or regular plural."""
    return a == b or b in plural_forms(a) or a in plural_forms(b)
