"""Every diagnostic code: what it means, why it matters, and a small piece of a file that raises it.

A literal table. A code names the problem, never the remedy; once given out it keeps its meaning. `example` is a fragment of a game file: a
test puts the missing sections below it, runs it, and keeps what is said in `tests/diagnostics/<slug>.md`. A code about files as such has
no example.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from interpreter.text.diagnostic import Severity


@dataclass(frozen=True, slots=True)
class Code:
    """One code. `summary` is a sentence, `why` a short paragraph, `level` how bad it is."""

    slug: str
    summary: str
    why: str
    example: str = ""
    level: Severity = Severity.ERROR


SYNTAX_CODES: Final[tuple[Code, ...]] = (
    Code(
        "no-such-file",
        "there is no file of this name",
        "Nothing was found under the name given. Check the name, and the folder you are in.",
    ),
    Code(
        "not-a-file",
        "a folder was given where a file is wanted",
        "A folder holds files; name one of them.",
    ),
    Code(
        "unreadable-file",
        "the file cannot be read",
        "The system refuses to hand the file out, for want of a permission or because a disk fails.",
    ),
    Code(
        "file-too-big",
        "the file is larger than any definition",
        "A definition is read by people and comes from strangers. What is larger than 2 MB is refused before it is looked at.",
    ),
    Code(
        "not-text",
        "the file is not text in UTF-8",
        "Definitions are text in UTF-8. A picture, an archive or a file in an old encoding is none.",
    ),
    Code(
        "empty-file",
        "the file holds nothing",
        "There is nothing in the file but perhaps comments.",
        "# nothing yet\n",
    ),
    Code(
        "bad-character",
        "a character that no text needs",
        "Control characters and the like are invisible, and what one does not see one cannot mend.",
        "title: Harvest\x07Fair\n",
    ),
    Code(
        "yaml-syntax",
        "the file is not valid YAML",
        "The structure of the file cannot be made out here.",
        "values:\n  prices: ]\n",
    ),
    Code(
        "indentation",
        "a line is further in or out than its neighbours",
        "What belongs together stands equally far in. A line that begins elsewhere belongs to nothing.",
        "values:\n  price: 3\n   cost: 4\n",
    ),
    Code(
        "tab",
        "a tab in the indentation",
        "A tab is as wide as each editor likes. Indentation is made of blanks, so that all see the same.",
        "values:\n\tprice: 3\n",
    ),
    Code(
        "missing-colon",
        "a line without a key",
        "In YAML each line of a mapping is a key, a `: ` and a value. A line of rules that stands among keys has lost its `|`.",
        "setup:\n  deal: gain 1 coin\n  gain 2 coins\n",
    ),
    Code(
        "open-bracket",
        "a bracket that is never closed",
        "Every bracket has an end; without it, everything that follows is read as being inside.",
        "values:\n  prices: [1, 2, 3\n",
    ),
    Code(
        "open-quote",
        "a quote that is never closed",
        "A text in quotes ends with a quote. In the rules it ends on the same line.",
        'play: |\n  choose p from players asking "Who?\n',
    ),
    Code(
        "bad-escape",
        "a backslash before a character that it does not change",
        "Inside double quotes a backslash begins a special character, and there is none of this name.",
        'title: "Harvest \\Fair"\n',
    ),
    Code(
        "quote-this",
        "YAML ends a text too early",
        "YAML gives `: `, ` #` and, inside brackets, `,` a meaning of its own and so cuts a rule in two. Quotes around the whole text, or lines of their own below a `|`, keep it together.",
        "setup:\n  deal: have players: gain 1 coin\n",
    ),
    Code(
        "folded-text",
        "a text below `>`",
        "A text below `>` loses its line ends, and a rule is a line.",
        "play: >\n  take turns in players:\n    end turn\n",
    ),
    Code(
        "unclear-text",
        "a text whose places cannot be told",
        "The text stands in the file in a form from which places in it cannot be computed, so that later messages would point elsewhere.",
    ),
    Code(
        "yaml-tag",
        "a tag",
        "A tag asks a program to build something out of the text. Definitions are plain data.",
        "title: !!str Harvest Fair\n",
    ),
    Code(
        "yaml-alias",
        "an anchor or an alias",
        "Aliases let a small file stand for a huge one, and hide where a value comes from. Write the value out.",
        "values:\n  a: &price 3\n",
    ),
    Code(
        "several-documents",
        "more than one document in a file",
        "A file is one definition. What stands below a `---` would never be read.",
        "title: One\n---\ntitle: Two\n",
    ),
    Code(
        "too-deep",
        "nesting without end",
        "What is nested this deep is no game but a trap or an accident.",
        "values: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n",
    ),
    Code(
        "bad-key",
        "a key that is neither a word nor a number",
        "Keys name things; a list, a mapping or a truth value cannot.",
        "values:\n  true: 3\n",
    ),
    Code(
        "duplicate-key",
        "the same key twice",
        "Of two values for one key, one would be lost without a word.",
        "values:\n  price: 3\n  price: 4\n",
    ),
    Code(
        "surprising-truth",
        "a word that some readers take for true or false",
        "Older YAML reads `no`, `on` or `yes` as truth values, newer YAML reads them as words. Whoever reads the file should see which is meant.",
        "options:\n  quick: {default: no}\n",
    ),
    Code(
        "number-too-big",
        "a number with too many digits",
        "Numbers in a game are small; a number of more than 9 digits is a slip.",
        "values:\n  price: 12345678901\n",
    ),
    Code(
        "not-a-game",
        "the file is no mapping, or something else than a game",
        "A game is a mapping of sections that begins with `game:`. Mods, scenarios and clause lists go with a game and are none.",
        "- game\n- title\n",
    ),
    Code(
        "unknown-key",
        "a key that is not known here",
        "A misspelt key would be passed over, and what stands under it with it.",
        "effects:\n  trade: {taken: {n: 0..3}, do: gain n coins}\n",
    ),
    Code(
        "rule-as-key",
        "a rule that YAML reads as a key",
        "A rule with a `:` in it looks to YAML like a key and its value. A text of several words belongs below a `|`.",
        "components: |\n  each player has:\n    coins: 0..9\ntriggers:\n  rich:\n    when p.coins = 9 for each p in players: end game\n",
    ),
    Code(
        "missing-key",
        "a key that must be there is missing",
        "Without it the entry cannot be understood.",
        "triggers:\n  clean: {cite: AB-ROUND-01}\n",
    ),
    Code(
        "patch-needs-switch",
        "an option that changes rules but is not true or false",
        "What stands under `add:` and `change:` of an option is taken when the option is true. Of words or numbers it would not be clear which "
        "of them means that.",
        'options:\n  harsh:\n    type: yes or no\n    default: "no"\n    change:\n      play: {replace: "have players: end game"}\n',
    ),
    Code(
        "wrong-kind",
        "a list where a text is wanted, or the like",
        "Each place wants a certain kind of value.",
        "functions: [limit]\n",
    ),
    Code(
        "wrong-word",
        "a word that is not one of those possible",
        "Only a few words may stand here.",
        "cards:\n  data: reconstucted\n",
    ),
    Code(
        "wrong-form",
        "a text of the wrong form",
        "Ids, versions and numbers of players have a fixed form.",
        "version: first\n",
    ),
    Code(
        "wrong-number",
        "a number that is too small or too large",
        "The number lies outside what is possible here.",
        "effects:\n  trade: {depth: 0, do: gain 1 coin}\n",
    ),
    Code(
        "bad-name",
        "a name with a character that names do not have",
        "Rules speak of things by name, in small letters, digits and `_`.",
        "values:\n  Start-Coins: 3\n",
    ),
    Code(
        "empty-value",
        "nothing is written where something is wanted",
        "An empty value says nothing.",
        'title: ""\n',
    ),
    Code(
        "bad-players",
        "an impossible number of players",
        "A game is for at least one player, and the smaller number stands first.",
        "players: 5..2\n",
    ),
    Code(
        "empty-text",
        "a text with nothing in it",
        "Where rules are wanted, at least one must stand.",
        'setup:\n  deal: ""\n',
    ),
    Code(
        "open-hole",
        "a `{` without `}` in a text",
        "A sentence shows values in holes: `{me} takes {n} coins`.",
        'text:\n  play: "{me takes a card"\n',
    ),
    Code(
        "duplicate-name",
        "a name defined twice",
        "Of two things with one name, nobody could say which is meant.",
        "functions: |\n  limit = 3\n  limit = 4\n",
    ),
    Code(
        "word-is-taken",
        "a word of the language used as a name",
        "Words such as `first` or `choose` begin something in the rules; a thing of that name could not be spoken of.",
        "values:\n  first: 3\n",
    ),
    Code(
        "syntax",
        "a rule that cannot be read",
        "Up to here the rule makes sense; the next word fits nothing that could follow.",
        "play: |\n  choose p of players\n",
    ),
    Code(
        "ends-early",
        "a rule that stops in the middle",
        "The line ends where something must follow.",
        "play: |\n  gain\n",
    ),
    Code(
        "bad-mark",
        "a mark that has no meaning",
        "The rules use few marks: comparisons, arithmetic, brackets, `.`, `,` and `:`.",
        "functions: |\n  rich(p: player) = p.coins ≥ 3\n",
    ),
    Code(
        "bad-citation",
        "brackets that hold neither a citation nor an index",
        "A citation stands in square brackets at the end of a line and looks like `[AB-DAY-08]`.",
        "play: |\n  gain 1 coin [Day 8]\n",
    ),
    Code(
        "stray-bracket",
        "a closing bracket without an opening one",
        "It closes nothing.",
        "play: |\n  gain 1) coins\n",
    ),
    Code(
        "equals-stores",
        "`=` used to store a value",
        "In the rules `=` compares or defines; what is stored is an order to the player: `set`, `raise`, `lower`.",
        "play: |\n  set price = 3\n",
    ),
    Code(
        "double-equals",
        "`==` for equality",
        "One `=` compares.",
        "functions: |\n  full(n: place) = n.soil == 3\n",
    ),
    Code(
        "split-mark",
        "a comparison written in two parts",
        "`<=` and `>=` are one mark each.",
        "functions: |\n  low(n: place) = n.soil < = 3\n",
    ),
    Code(
        "compares-twice",
        "two comparisons in a row",
        "Whether `a < b < c` compares twice, or compares a truth value, is not left to chance: say `a < b and b < c`.",
        "functions: |\n  mid(n: place) = 1 < n.soil < 3\n",
    ),
    Code(
        "query-needs-parentheses",
        "a query inside another expression",
        "A query reaches as far as it can, so inside something larger its end must be shown.",
        "functions: |\n  done(p: player) = p.ready and any c in cards where c.open\n",
    ),
    Code(
        "query-without-word",
        "`where` without a query before it",
        "A query begins with a word that says what is asked: is there any, how many, which first.",
        "functions: |\n  open(p: player) = c in cards where c.open\n",
    ),
    Code(
        "missing-block",
        "a rule whose block is missing",
        "A rule that begins with `for each`, `if`, `have` and the like ends in a `:` and what is done.",
        "play: |\n  for each p in players\n    gain 1 coin\n",
    ),
    Code(
        "if-in-line",
        "an `if` in the middle of a line",
        "Which `otherwise` would belong to which `if` could not be seen; so an `if` begins its own line.",
        "play: |\n  if ready: if rich: gain 1 coin\n",
    ),
    Code(
        "then-or-colon",
        "`then` in a rule that begins with `if`",
        "`if c: …` is an order, `if c then a otherwise b` is a value.",
        "play: |\n  if ready then gain 1 coin\n",
    ),
    Code(
        "missing-then",
        "`then` is missing in a value that is chosen",
        "A value is chosen by `if c then a otherwise b`.",
        "functions: |\n  limit =\n    if late: 2\n    otherwise 3\n",
    ),
    Code(
        "missing-otherwise",
        "a value that is chosen only sometimes",
        "An expression always has a value, so `otherwise` says which one is left.",
        "functions: |\n  limit = if late then 2\n",
    ),
    Code(
        "stray-otherwise",
        "`otherwise` that belongs to nothing",
        "It stands below the `if` or `try` that it belongs to, equally far in.",
        "play: |\n  gain 1 coin\n  otherwise: gain 2 coins\n",
    ),
    Code(
        "article",
        "an article",
        "Rules are said without articles, so that each has one spelling.",
        "play: |\n  gain the coin\n",
    ),
    Code(
        "no-such-statement",
        "a rule that begins with no word of the language",
        "A rule is an order and begins with its verb.",
        "play: |\n  gian 1 coin\n",
    ),
    Code(
        "two-statements",
        "two rules on one line",
        "One line holds one rule; `, then` joins short ones.",
        "play: |\n  gain 1 coin pay 1 ale\n",
    ),
    Code(
        "patch-misses",
        "a patch names an address that does not exist",
        "What a patch means to change may have been renamed or removed; passing it over would leave the game half changed. `optional: true` makes it a note.",
        "values:\n  price: 4\noptions:\n  cheap: {default: true, change: {values.prise: {set: 3}}}\n",
    ),
    Code(
        "patch-verb",
        "a patch does something that is not possible there",
        "Each kind of address has its verbs: a value is set, an expression is wrapped, steps are put before or after others.",
        "values:\n  price: 4\noptions:\n  cheap: {default: true, change: {values.price: {first: {extra: gain 1 coin}}}}\n",
    ),
    Code(
        "patch-conflict",
        "two patches write the same",
        "Only one of two values can hold; it is the later one, and the author of neither may know.",
        "values:\n  price: 4\noptions:\n  cheap: {default: true, change: {values.price: {set: 3}}}\n  free: {default: true, change: {values.price: {set: 0}}}\nwinners: all p in players where price > 3\n",
        Severity.WARNING,
    ),
    Code(
        "still-used",
        "a patch removes what is still used",
        "A name that stands for nothing makes every rule with it senseless; whoever removes a thing changes what uses it too.",
        "values:\n  price: 4\noptions:\n  free: {default: true, change: {values.price: {remove: true}}}\nplay: |\n  if price > 3: end game\n  if price > 2: end game\n",
    ),
    Code(
        "not-a-mod",
        "the file is a game, not a mod",
        "A mod changes a game and says which; a whole game cannot be laid over another.",
        "game: example\ntitle: Example\n",
    ),
    Code(
        "not-scenarios",
        "the file is a game or a mod, not scenarios",
        "A scenario file names its game and has `cases:`; it is a test of rules and has none of its own.",
        "game: example\ntitle: Example\n",
    ),
    Code(
        "mod-other-game",
        "a mod for another game",
        "A mod names addresses of the game that it was made for; another game has others.",
        "mod: {id: cheap, version: 1.0.0, for: exemple}\nchange: {values.price: {set: 3}}\n",
    ),
    Code(
        "mod-version",
        "a version that a mod does not go with",
        "A mod says which versions of the game, and of the mods it needs, it was made for; with others nobody has tried it.",
        'mod: {id: cheap, version: 1.0.0, for: example, versions: ">=1.2,<2"}\nchange: {values.price: {set: 3}}\n',
    ),
    Code(
        "mod-twice",
        "two mods of one id",
        "Mods are told apart by their ids, in saves and when they need each other.",
        "mod: {id: cheap, version: 1.0.0, for: example}\nchange: {values.price: {set: 3}}\n---\nmod: {id: cheap, version: 1.0.0, for: example}\nchange: {values.price: {set: 3}}\n",
    ),
    Code(
        "mod-missing",
        "a mod that another needs is not there",
        "A mod that builds on another changes what that one adds; without it there is nothing to change.",
        'mod: {id: cheap, version: 1.0.0, for: example, requires: {market: ">=1"}}\nchange: {values.price: {set: 3}}\n',
    ),
    Code(
        "mod-cycle",
        "mods that need each other in a circle",
        "A mod comes behind those that it needs, and in a circle there is no first.",
        'mod: {id: cheap, version: 1.0.0, for: example, requires: {fair: ">=1"}}\nchange: {values.price: {set: 3}}\n---\nmod: {id: fair, version: 1.0.0, for: example, requires: {cheap: ">=1"}}\nadd: {values: {fairs: 2}}\n',
    ),
    Code(
        "mod-conflict",
        "two mods that do not go together",
        "The author of one of the two knows of the other, and says that they do not go together.",
        "mod: {id: cheap, version: 1.0.0, for: example, conflicts: {free: both change the price}}\nchange: {values.price: {set: 3}}\n---\nmod: {id: free, version: 1.0.0, for: example}\nadd: {values: {gifts: 2}}\n",
    ),
    Code(
        "declared-under-condition",
        "options, modes or the number of players under a condition",
        "Which options and modes there are, and how many can play, is settled before it is known how many play and what holds.",
        "mod: {id: cheap, version: 1.0.0, for: example}\nwhen: {players: 2}\nadd: {options: {quick: {default: false}}}\n",
    ),
    Code(
        "never-holds",
        "a condition of a mod that never holds",
        "What stands under a condition that no game can fulfil is never taken, and nobody would notice. An option, one of its values or a number of players is misspelt, or is no longer there.",
        "mod: {id: cheap, version: 1.0.0, for: example}\nwhen: {players: 7}\nchange: {values.price: {set: 3}}\n",
    ),
    Code(
        "move-needs-from",
        "a count moved without saying from where",
        "Cubes and coins are counted, so a move takes them from one place to another.",
        "play: |\n  move 2 coins to me\n",
    ),
)

# What the checked model finds: names, types, sense.
MODEL_CODES: Final[tuple[Code, ...]] = (
    Code(
        "no-such-name",
        "a name that nothing in the game has",
        "A rule can speak only of what is declared: components, rows of tables, values, functions, effects, and names bound in the rule itself.",
        "values:\n  price: 3\nplay: |\n  have players: gain prise coins\ncomponents: |\n  each player has:\n    coins: 0..9\n",
    ),
    Code(
        "no-such-field",
        "a field that the thing does not have",
        "Behind the dot stands a field, column or zone of the thing before it, as `components` declares them.",
        "components: |\n  each player has:\n    coins: 0..9\nwinners: all p in players where p.coin = 9\n",
    ),
    Code(
        "no-such-count",
        "tokens of a kind that is not counted there",
        "An amount names what is counted: a field of whoever has it, or a key of one of its maps.",
        "components: |\n  each player has:\n    coins: 0..9\nplay: |\n  have players: gain 1 coal\n",
    ),
    Code(
        "no-such-column",
        "a row that fills a column which is not declared",
        "The columns of a table are the `printed` lines of its type. What stands in a column of no type would be lost.",
        "components: |\n  card is a thing:\n    printed cost: 0..9\ncards:\n  knight: {cost: 3, worth: 2}\n",
    ),
    Code(
        "missing-column",
        "a row that leaves a column empty",
        "A column without a default is filled by every row.",
        "components: |\n  card is a thing:\n    printed cost: 0..9\ncards:\n  knight: {cost: 3}\n  spy: {}\n",
    ),
    Code(
        "wrong-type",
        "a value of the wrong kind",
        "Everything has a kind: a number, a truth, a thing, a set. Each place in a rule wants one of them.",
        "components: |\n  each player has:\n    coins: 0..9\nplay: |\n  have players:\n    if my coins: gain 1 coin\n",
    ),
    Code(
        "wrong-arguments",
        "too many, too few or misspelt arguments",
        "A function or effect is given a value for each of its parameters that has no default.",
        "effects:\n  pass_on: {takes: {p: player, n: 1..3}, do: gain n coins}\ncomponents: |\n  each player has:\n    coins: 0..9\nplay: |\n  have players: perform pass_on(me)\n",
    ),
    Code(
        "wrong-count",
        "a list of the wrong length in a table",
        "A list in a table has a value for each key of its column.",
        "components: |\n  card is a thing:\n    printed income: 0..9 for each 1..3\ncards:\n  knight: {income: [1, 2]}\n",
    ),
    Code(
        "out-of-range",
        "a number that can never be right there",
        "Every number has a range. Where a number is known before the game begins, it is held to it at once. What arithmetic comes to must fit "
        "32 bits; where only a game can show that it does not, the game stops there.",
        "components: |\n  each player has:\n    coins: 0..9 = 10\n",
    ),
    Code(
        "empty-range",
        "a range that ends before it begins",
        "The smaller number stands first.",
        "components: |\n  each player has:\n    coins: 9..0\n",
    ),
    Code(
        "two-meanings",
        "a name that could mean several things",
        "The same word may be a member of two types; where the rule leaves open which is meant, it must say so.",
        "components: |\n  worker is one of small, large\n  box is one of small, tall\n  each player has:\n    workers: 0..9 for each worker\n    boxes: 0..9 for each box\nplay: |\n  have players: gain 1 small\n",
    ),
    Code(
        "maybe-nothing",
        "something that may not be there is used as if it were",
        "Of nothing there are no fields, and it cannot act or pay. A test, `else` or `have` says what happens then.",
        "components: |\n  each player has:\n    coins: 0..9\n  the table has:\n    leader: player or nothing = nothing\nwinners: all p in players where p.coins > leader.coins\n",
    ),
    Code(
        "never-nothing",
        "something sure is compared with nothing",
        "The comparison always comes out the same. Either it is not needed, or another thing was meant.",
        "components: |\n  each player has:\n    coins: 0..9\nwinners: all p in players where p != nothing\n",
        Severity.WARNING,
    ),
    Code(
        "no-acting-player",
        "`me` where nobody acts",
        "Somebody acts in an effect, in a turn and below `have`. Elsewhere the rule must name its player.",
        "components: |\n  each player has:\n    coins: 0..9\nplay: gain 1 coin\n",
    ),
    Code(
        "division-by-zero",
        "a division by zero",
        "It has no value.",
        "functions: |\n  half(n: 0..9) = n / 0\nwinners: all p in players where half(4) = 2\n",
    ),
    Code(
        "one-binder",
        "several binders where one is possible",
        "Pairs can be asked for and counted, but a set, a first or a trigger is of one kind of thing.",
        "winners: all p in players, q in players where p != q\n",
    ),
    Code(
        "needs-binder",
        "a sum without a name for what is summed",
        "What is added up is said of each thing, and so each needs a name.",
        "components: |\n  each player has:\n    coins: 0..9\nfunctions: |\n  wealth = sum of 1 for players\nwinners: all p in players where wealth > 3\n",
    ),
    Code(
        "missing-unit",
        "an amount without what is counted",
        "Two of what? An amount ends in a unit, unless it is a whole map.",
        "components: |\n  each player has:\n    coins: 0..9\nplay: |\n  have players: gain 2\n",
    ),
    Code(
        "missing-amount",
        "a unit without a number",
        "How many? A unit stands behind a number, `all` or `up to`.",
        "components: |\n  each player has:\n    coins: 0..9\nplay: |\n  have players: gain coins\n",
    ),
    Code(
        "missing-end",
        "a move to an order that does not say to which end",
        "An order has a top and a bottom.",
        "components: |\n  the table has:\n    turn_order: order of player\nplay: |\n  for each p in players: move p to turn_order\n",
    ),
    Code(
        "misplaced-end",
        "an `end` outside what it ends",
        "`end turn` stands in a turn, `end loop` in a loop, `end phase` in a phase, `end effect` in an effect.",
        "play: end turn\n",
    ),
    Code(
        "not-state",
        "a store to something that is computed or printed",
        "Fields are state. Functions, columns and values are what they are.",
        "values:\n  price: 3\nplay: set price to 4\n",
    ),
    Code(
        "no-cells-of-its-own",
        "a raw store to a field that is a sum",
        "A field with `paid from` is the sum of what lies in other places, so tokens are put into one of those.",
        "components: |\n  purse is a thing:\n    coins: 0..9\n  each player has:\n    coins: 0..99, paid from purses\npurses:\n  small: {}\n  large: {}\nplay: |\n  for each p in players: put 1 coin on p\n",
    ),
    Code(
        "never-reached",
        "a rule behind an `end`",
        "Behind `end` on the same level nothing is carried out.",
        "components: |\n  each player has:\n    coins: 0..9\nplay: |\n  end game\n  have players: gain 1 coin\n",
        Severity.WARNING,
    ),
    Code(
        "nested-at-once",
        "simultaneous play inside simultaneous play",
        "While players act at the same time, each for themselves, nothing can make all of them act at the same time once more.",
        "components: |\n  each player has:\n    coins: 0..9\neffects:\n  share: {do: 'all at once: gain up to 1 coin'}\nplay: |\n  all at once: perform share\n  end game\n",
    ),
    Code(
        "can-in-formula",
        "`can` outside the rules",
        "`can e()` tries what an effect would do, and only rules can be tried. Functions, scores, modifiers and whatever else is worked out "
        "at any time do not try anything.",
        "components: |\n  each player has:\n    coins: 0..9\neffects:\n  buy: {do: pay 3 coins}\nfunctions: |\n  rich = can buy()\nplay: |\n  have players:\n    if rich: gain up to 1 coin\n  try: have p1: perform buy\n  end game\n",
    ),
    Code(
        "window-at-once",
        "a window inside simultaneous play",
        "`with … allowed` inserts actions between others, and at once there is no between.",
        "components: |\n  each player has:\n    coins: 0..9\neffects:\n  beg: {do: gain 1 coin}\nplay: |\n  all at once:\n    with beg allowed: gain 1 coin\n",
    ),
    Code(
        "duplicate-id",
        "two things of one name",
        "Nobody could say which of the two a rule means.",
        "components: |\n  each player has:\n    coins: 0..9\neffects:\n  trade: {do: gain 1 coin}\nphases:\n  trade: {do: end game}\nplay: perform trade\n",
    ),
    Code(
        "no-rows",
        "a thing of which there is none",
        "The rows of a table are the things there are, and this type has no table.",
        "components: |\n  card is a thing:\n    printed cost: 0..9\n",
    ),
    Code(
        "bad-copies",
        "an impossible number of copies",
        "A row stands for one piece, for a number of equal ones, or for one a player.",
        "components: |\n  card is a piece:\n    printed cost: 0..9\ncards:\n  knight: {cost: 3, copies: 0}\n",
    ),
    Code(
        "bad-type",
        "a kind of field that cannot stand here",
        "Formulas and other printed columns belong to the rows of tables.",
        "components: |\n  each player has:\n    printed coins: 0..9\n",
    ),
    Code(
        "not-a-piece",
        "a zone for something that is no piece",
        "Zones hold pieces: each lies in exactly one of them. A thing lies nowhere.",
        "components: |\n  card is a thing:\n    printed cost: 0..9\n  each player has:\n    hand: group of card\ncards:\n  knight: {cost: 3}\n",
    ),
    Code(
        "needs-first-value",
        "a field of which nothing says what it is at first",
        "Numbers begin at their least value. A thing must be named, or the field may be nothing.",
        "components: |\n  the table has:\n    leader: player\n",
    ),
    Code(
        "no-value-for-count",
        "a number of players is left out",
        "`by players` has a value for each number of players that the game allows.",
        "players: 2..3\nvalues:\n  price: {by players: {2: 5}}\nfunctions: |\n  rich = price > 3\nwinners: all p in players where rich\n",
    ),
    Code(
        "self-edge",
        "a place joined to itself",
        "An edge joins two places.",
        "components: |\n  place is one of inn, mill\ngraphs:\n  town: |\n    inn -- mill, inn\n",
    ),
    Code(
        "edge-twice",
        "the same edge twice",
        "One of the two is superfluous, or another place was meant.",
        "components: |\n  place is one of inn, mill\ngraphs:\n  town: |\n    inn -- mill\n    mill -- inn\n",
        Severity.WARNING,
    ),
    Code(
        "cycle",
        "functions that need each other",
        "A function is computed from others, and there must be a first.",
        "functions: |\n  price = 2 * worth\n  worth = price + 1\n",
    ),
    Code(
        "no-winners",
        "nothing says who wins",
        "A game ends with winners: a set of players.",
        "play: end game\n",
    ),
    Code(
        "never-said",
        "a sentence for the log that never comes",
        "A sentence is said as soon as all that it names is known. Here something is named that the rule never binds, or no rule has this address.",
        'components: |\n  each player has:\n    coins: 0..9\nplay: |\n  have players: gain up to 1 coin\ntext:\n  play: "{me} takes {n} coins"\n',
        Severity.WARNING,
    ),
    Code(
        "shows-nothing",
        "a key of `show:` that belongs to nothing",
        "No rule reads `show:`, so a misspelt name there changes nothing but the board: what it says is not drawn.",
        'components: |\n  town is a thing\n  each town has:\n    soil: 0..9\ntowns:\n  ash: {}\n  bow: {}\nshow:\n  soyl: {symbol: "*"}\n',
        Severity.WARNING,
    ),
    Code(
        "shows-unread",
        "something in `show:` that the board does not read",
        "Of a field, zone or type the board reads `title`, `symbol`, `colour` and `hide`; of a zone also `tells`, of a table `map`, `only` and its rows, of a row `at`, `width`, `zone`, `symbol` and `short`. Anything else is passed over.",
        'components: |\n  town is a thing\n  each town has:\n    soil: 0..9\ntowns:\n  ash: {}\n  bow: {}\nshow:\n  soil: {symbl: "*"}\n  towns:\n    map: [4, 1]\n    ash: {at: [0, 1]}\n    boww: {at: [1, 1]}\n',
        Severity.WARNING,
    ),
    Code(
        "no-such-colour",
        "a colour that no terminal has",
        "Sixteen colours are all that every terminal has; `show:` may name eleven of them.",
        "components: |\n  town is a thing\n  each town has:\n    soil: 0..9\ntowns:\n  ash: {}\n  bow: {}\nshow:\n  soil: {colour: yelow}\n",
        Severity.WARNING,
    ),
    Code(
        "off-the-map",
        "a place that is not on its map",
        "Columns are counted from 0 and rows from 1; a place ends within the columns that `map:` gives.",
        "components: |\n  town is a thing\n  each town has:\n    soil: 0..9\ntowns:\n  ash: {}\n  bow: {}\nshow:\n  towns:\n    map: [4, 1]\n    ash: {at: [0, 1]}\n    bow: {at: [3, 1], width: 2}\n",
        Severity.WARNING,
    ),
    Code(
        "places-overlap",
        "two places where one can be seen",
        "Places of the same row must not share a column.",
        "components: |\n  town is a thing\n  each town has:\n    soil: 0..9\ntowns:\n  ash: {}\n  bow: {}\nshow:\n  towns:\n    map: [4, 1]\n    ash: {at: [0, 1], width: 2}\n    bow: {at: [1, 1]}\n",
        Severity.WARNING,
    ),
    Code(
        "effect-cycle",
        "effects that go round",
        "An effect that leads back to itself could go on without end. `depth:` on one of them says how many may be under way at once.",
        "effects:\n  ask: {do: perform answer}\n  answer: {do: perform ask}\nplay: |\n  have players: perform ask\n",
    ),
    Code(
        "phase-unreached",
        "a phase that never begins",
        "Phases are performed by `play:` and by each other.",
        'components: |\n  each player has:\n    coins: 0..9\nphases:\n  day: {do: "have players: gain 1 coin"}\nplay: end game\n',
    ),
    Code(
        "unused-effect",
        "an effect that nothing performs",
        "It does no harm, but a rule that was meant to perform it may be missing.",
        "components: |\n  each player has:\n    coins: 0..9\neffects:\n  beg: {do: gain 1 coin}\n",
        Severity.WARNING,
    ),
    Code(
        "unused-function",
        "a function that nothing uses",
        "It does no harm, but a rule that was meant to use it may be missing.",
        "functions: |\n  limit = 3\n",
        Severity.WARNING,
    ),
    Code(
        "unused-value",
        "a value that nothing uses",
        "It does no harm, but a rule may have the number in its own text, so that changing the value changes nothing.",
        "values:\n  price: 3\n",
        Severity.WARNING,
    ),
    Code(
        "pays-oneself",
        "a payment to the one who pays",
        "Who pays is who acts, and inside `have P: …` each of P acts and is `me`. A payment from me to me changes nothing.",
        "components: |\n  each player has:\n    coins: 0..9 = 5\nplay: |\n  take turns in players:\n    have opponents: pay up to 1 coin to me\n    end game\n",
        Severity.WARNING,
    ),
    Code(
        "gains-from-nothing",
        "trades that together give something for nothing",
        "What a player may do any number of times adds up to a gain without a cost, so there is no end to it. The trades that go round are listed with how often each is made. Trades that change anything but numbers are not looked at.",
        "components: |\n  each player has:\n    wool, coins: 0..99\nplay: |\n  have players:\n    repeat any number of times:\n      either buy: pay 1 coin, then gain 1 wool\n      or sell: pay 1 wool, then gain 2 coins\n",
        Severity.WARNING,
    ),
    Code(
        "changes-nothing",
        "something that may be done for ever and changes nothing",
        "What a player may do any number of times leaves everything as it was, or leads back to it. A game could go on with it for ever.",
        "components: |\n  each player has:\n    wool, coins: 0..99\nplay: |\n  have players:\n    repeat any number of times:\n      either buy: pay 1 coin, then gain 1 wool\n      or sell: pay 1 wool, then gain 1 coin\n",
        Severity.WARNING,
    ),
    Code(
        "may-never-end",
        "a loop that players can keep going by declining",
        "The loop ends by what a `may`, or a `repeat` that can be stopped, brings about. Players who always say no play on for ever.",
        "components: |\n  each player has:\n    coins: 0..9 = 5\nplay: |\n  take turns in players while any p in players where p.coins > 3:\n    may give: pay 1 coin\n",
        Severity.WARNING,
    ),
    Code(
        "never-ends",
        "a loop that nothing can end",
        "A loop ends when its condition becomes false or by an `end`. Here neither can happen.",
        "components: |\n  each player has:\n    coins: 0..9\nplay: |\n  take turns in players:\n    gain up to 1 coin\n",
    ),
    Code(
        "may-find-nothing",
        "a choice that may have no option",
        "An option is offered only if everything behind it can be completed. Where no earlier choice and no `try` answers for this one, the game would stop.",
        "components: |\n  each player has:\n    coins: 0..9\nplay: |\n  have players:\n    choose p from players where p.coins > 3\n    end game\n",
    ),
    Code(
        "stops-every-game",
        "rules that come to a stop however the game begins",
        "The beginning of the game was tried out: whatever is chosen and drawn, it comes to something that cannot be done, or goes round without "
        "end, before much has happened.",
        "components: |\n  each player has:\n    coins: 0..9\nsetup: |\n  have players: pay 3 coins\nplay: |\n  have players:\n    choose k from 1..3\n    gain k coins\n  end game\n",
    ),
    Code(
        "asks-scripted-seat",
        "a question to a seat that acts by script",
        "Nobody sits there who could answer. Rules that such a seat may come to decide by themselves; what asks is kept for the others by saying "
        "first who acts.",
        "components: |\n  each player has:\n    coins: 0..9\nseats: {warden: scripted}\nplay: |\n  have players: perform beg\n  end game\neffects:\n  beg: {do: 'may take_one: gain up to 1 coin'}\n",
    ),
    Code(
        "may-overflow",
        "tokens that may not be there, or may not fit, where this would stop the game",
        "An amount outside a field's range hides the option that leads there. Here no option leads here, so the game would stop. A gain that "
        "is small beside its range is taken to fit.",
        "components: |\n  well is a thing:\n    water: 0..3\nwells:\n  north: {}\n  south: {}\nplay: |\n  for each w in wells: put 2 water on w\n",
        Severity.WARNING,
    ),
    Code(
        "may-not-hold",
        "a `require` that may fail where this would stop the game",
        "`require` hides the option that leads there when its condition is false. Here no option leads here, so the game would stop.",
        "components: |\n  each player has:\n    coins: 0..9\nplay: |\n  have players:\n    choose k from 0..9\n    gain k coins\n  require any p in players where p.coins > 3\n",
        Severity.WARNING,
    ),
    Code(
        "cannot-fail-here",
        "a `try` that always succeeds",
        "Its `otherwise` is never carried out.",
        "components: |\n  each player has:\n    coins: 0..9\nplay: |\n  have players:\n    try: gain up to 1 coin\n    otherwise: end game\n",
        Severity.WARNING,
    ),
    Code(
        "hidden-from-chooser",
        "a choice that would give a secret away",
        "What is offered is seen by the player who chooses. If it depends on what that player does not see, the options tell it.",
        "components: |\n  card is a piece:\n    printed cost: 0..9\n  the table has:\n    stock: group of card = cards, seen by nobody\ncards:\n  knight: {cost: 3}\n  spy: {cost: 1}\nplay: |\n  have players:\n    may peek: choose c from stock\n  end game\n",
    ),
    Code(
        "tells-secret",
        "a log sentence that gives a secret away",
        "Everybody reads the log. What only who acts sees is told to that player alone; what others hold, or nobody sees, to nobody.",
        'components: |\n  each player has:\n    coins: 0..9\n  the table has:\n    trap: 0..3 = 2, seen by nobody\neffects:\n  walk: gain up to 1 coin\nplay: |\n  have players: perform walk\n  end game\ntext:\n  effects.walk: "{me} walks past {trap}"\n',
    ),
    Code(
        "never-changes",
        "a trigger that never fires",
        "A `when` fires when its condition becomes true. After set-up nothing writes what this one reads.",
        'components: |\n  each player has:\n    coins: 0..9\ntriggers:\n  rich: {rule: "when p.coins = 9 for each p in players: end game"}\n',
    ),
    Code(
        "shared-in-all-at-once",
        "players change the same thing at the same time",
        "What happens at once must come out the same in whatever order it is carried out.",
        "components: |\n  the table has:\n    supply: 0..9 = 9\nplay: |\n  all at once: perform fetch\n  end game\neffects:\n  fetch: lower supply by 1\n",
    ),
    Code(
        "not-constant",
        "something that must be known before the game begins",
        "Ranges and first values are computed once, from what is printed.",
        "components: |\n  the table has:\n    late: true or false = false\n  each player has:\n    coins: 0..9 = (if late then 1 otherwise 2)\n",
    ),
    Code(
        "piece-in-two-zones",
        "a piece that begins in two zones",
        "A piece lies in exactly one zone.",
        "components: |\n  card is a piece:\n    printed cost: 0..9\n  the table has:\n    row_one: group of card = cards\n    row_two: group of card = cards\ncards:\n  knight: {cost: 3}\n",
    ),
    Code(
        "too-large",
        "a game with more state or code than any game",
        "A definition comes from a stranger, so there is a limit to what it may ask of the machine.",
        "components: |\n  cell is a thing:\n    heights: 0..9 for each 0..999\ngraphs:\n  board: grid 30 by 30 of cell\n",
    ),
    Code(
        "no-such-clause",
        "a rule cites a clause that the game's list of clauses does not have",
        "Where a list of clauses lies beside a game (`clauses/<file>`), every citation is looked up in it: a slip of the pen in a clause's "
        "number would otherwise claim that a sentence of the rulebook has its rule. Correct the number, or add the clause to the list.",
    ),
)

CODES: Final[tuple[Code, ...]] = (*SYNTAX_CODES, *MODEL_CODES)


def find_code(slug: str) -> Code | None:
    """The record of a code, if there is one."""
    return next((c for c in CODES if c.slug == slug), None)
