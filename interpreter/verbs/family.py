"""How verbs are found and look in help. A verb is a module of this folder that is called like it, imported when it is wanted: nobody who
asks for a list of verbs waits for what they need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TypeVar

import click

from interpreter.text.suggest import nearest

Function = TypeVar("Function", bound=Callable[..., object])
NAMES_OF_HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@dataclass(frozen=True, slots=True)
class Brief:
    """What is said of a verb without its module: what it does, in a line, and command lines with it."""

    does: str
    examples: tuple[str, ...] = ()


class Verb(click.Command):
    """A verb whose help shows examples first."""

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Examples, usage, what it does, flags."""
        family = ctx.parent.command if ctx.parent is not None else None
        if isinstance(family, Verbs):
            with formatter.section("Examples"):
                for example in family.briefly[str(self.name)].examples:
                    formatter.write_text(f"rulewright {example}")
            formatter.write_paragraph()
        super().format_help(ctx, formatter)


class Verbs(click.Group):
    """Verbs by name, in the order of a day's work; a verb nobody knows names its nearest neighbour."""

    briefly: Mapping[str, Brief]
    prefix: str
    """What the names of their modules and functions begin with."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of use, not by alphabet."""
        return list(self.briefly)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb, from its module, or a family within. `run` is accepted for `play`; nothing else is abbreviated."""
        name = "play" if cmd_name == "run" else cmd_name
        if name not in self.briefly or name in self.commands:
            return self.commands.get(name)
        found = getattr(import_module(f"interpreter.verbs.{self.prefix}{name}"), self.prefix + name)
        assert isinstance(found, Verb)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of verbs, without a look at their modules."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, brief.does) for name, brief in self.briefly.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As usual, with a suggestion in place of a bare refusal."""
        if args and not args[0].startswith("-") and args[0] not in (*self.briefly, "run"):
            near = nearest(args[0], self.list_commands(ctx))
            hint = f"did you mean `{near}`?" if near else f"there are {', '.join(self.list_commands(ctx))}"
            raise click.UsageError(f"no verb `{args[0]}`; {hint}", ctx)
        return super().resolve_command(ctx, args)


def family(briefly: Mapping[str, Brief], prefix: str = "") -> Callable[[Callable[..., None]], Verbs]:
    """Makes a family of verbs of a function; its docstring is the help text."""

    def make(function: Callable[..., None]) -> Verbs:
        made = click.group(cls=Verbs, context_settings=NAMES_OF_HELP)(function)
        made.briefly, made.prefix = briefly, prefix
        return made

    return make


def verb(function: Callable[..., None]) -> Verb:
    """Makes a verb of a function, which is called like its module: the verb's name, behind that of its family. Its docstring is the help
    text."""
    name = function.__name__.rpartition("_")[2]
    return click.command(name, cls=Verb, context_settings={"show_default": True, "max_content_width": 100})(function)
