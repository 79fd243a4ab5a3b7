# make play and make test need Python 3.11 or newer, make and git, and nothing else.
# Everything is installed into .venv; a second run installs nothing unless pyproject.toml or constraints.txt changed.

.PHONY: help play test check soak bench machines lint types

# The first Python that is new enough and can make virtual environments (a version manager's stub may be neither).
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	"$$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo "$$p" && break; done)
BIN := .venv/bin
STAMP := .venv/.installed
GAME ?= night_soil
GAMES ?= 1000
SEED ?= 1

# Compiled modules are kept, by whoever first needs one: subprocesses of tests start much quicker with them.
unexport PYTHONDONTWRITEBYTECODE

# mypy beside pytest (its arguments: $(1)): what it says comes at the end, and a failure of either is one of the whole.
define types_and_tests
@$(BIN)/mypy >.venv/types.txt 2>&1 & types=$$!; trap 'kill $$types' INT TERM; \
$(BIN)/pytest -n 2 -q $(1); tests=$$?; \
wait $$types; types=$$?; cat .venv/types.txt; \
[ $$types -eq 0 ] || echo "failed: mypy" >&2; \
[ $$tests -eq 0 ] || { echo "failed: pytest" >&2; exit $$tests; }; \
exit $$types
endef

help: ## this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1|/' | awk -F'|' '{printf "%-15s %s\n", $$1, $$2}'

$(STAMP): pyproject.toml setup.py constraints.txt
	@if [ -z "$(PYTHON)" ]; then echo "failed: setting up: no Python 3.11 or newer that has the venv module; \
	install one, or name it: make PYTHON=/path/to/python3 …" >&2; exit 1; fi
	@echo "setting up .venv (once)"
	@test -x $(BIN)/python || "$(PYTHON)" -m venv .venv || { echo "failed: making .venv" >&2; exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -e '.[dev]' \
	|| { echo "failed: installing the packages of pyproject.toml into .venv" >&2; exit 1; }
	@touch $(STAMP)

play: $(STAMP) ## a game in the terminal, you against bots (GAME=night_soil); without a terminal bots take every seat
	@if [ -t 0 ]; then seats=human,random; else seats=random; \
	echo "no terminal: bots take every seat"; fi; \
	$(BIN)/python cli.py play $(GAME) --bots $$seats || { code=$$?; echo "failed: play (exit $$code)" >&2; exit $$code; }

test: $(STAMP) ## everything: lint, format, types, all tests (under five minutes)
	@$(BIN)/ruff check . || { echo "failed: ruff check" >&2; exit 1; }
	@$(BIN)/ruff format --check . || { echo "failed: ruff format (run: $(BIN)/ruff format .)" >&2; exit 1; }
	$(call types_and_tests)

check: $(STAMP) ## the fast part of `make test`: format, lint, types, fast tests (under a minute)
	@$(BIN)/ruff format --check . || { echo "failed: ruff format (run: $(BIN)/ruff format .)" >&2; exit 1; }
	@$(BIN)/ruff check . || { echo "failed: ruff check" >&2; exit 1; }
	$(call types_and_tests,-m "not slow and not soak")

soak: $(STAMP) ## long runs: GAMES=1000 random games at each player count, from SEED=1
	@RULEWRIGHT_SOAK_GAMES=$(GAMES) RULEWRIGHT_SOAK_SEED=$(SEED) $(BIN)/pytest -n 2 -q -m soak \
	|| { code=$$?; echo "failed: soak (GAMES=$(GAMES) SEED=$(SEED))" >&2; exit $$code; }

bench: $(STAMP) ## print times of commands and decisions, and sizes
	@$(BIN)/python benchmarks/run.py || { echo "failed: bench" >&2; exit 1; }
	@echo; echo "how fast the machines play, beside others: make machines"

machines: $(STAMP) ## print how fast the machines play, beside other engines (a few minutes; docs/performance.md)
	@$(BIN)/python benchmarks/machines.py || { echo "failed: machines" >&2; exit 1; }

lint: $(STAMP) ## ruff, changing nothing
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: $(STAMP) ## mypy alone
	@$(BIN)/mypy
