# `make demo` and `make test` set everything up by themselves.
SHELL := /bin/bash
VENV ?= .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.ready
SEEDS ?= 10000
FIRST_SEED ?= 1

.DEFAULT_GOAL := help
.PHONY: help setup demo up test release-check python-versions image-tree kubernetes-check proofs apache check web-ui pictures newcomer docs hostile simulate bench system-packages clean

help:  ## what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## (.*)/  make \1\t\2/' | expand -t 18

setup: $(STAMP)  ## virtual environment with pinned dependencies

$(STAMP): requirements/dev.lock pyproject.toml tools/setup.sh
	@bash tools/setup.sh $(VENV)
	@touch $@

demo: setup  ## the whole platform at work, until Ctrl-C; DEMO_SECONDS=60 make demo ends by itself
	@bash tools/system_packages.sh java
	@$(PY) -m riacho.pipelines.spark.class_archive 2>/dev/null || echo "Spark starts without an archive of its classes."
	@$(PY) -m riacho demo

up: setup  ## brokers and all services on their usual ports, until Ctrl-C
	@$(PY) -m riacho up

test: setup system-packages  ## everything: check, unit, property, scenarios, simulation, faults, conformance
	@$(MAKE) --no-print-directory check
	@$(PY) tools/run_tests.py

release-check: setup system-packages  ## the wheel in an environment of its own, with the README's extras only, does what the README says, in both languages
	@RIACHO_PROOFS=1 $(PY) -m pytest -q tests/release

python-versions: setup  ## source distribution and wheel, built, installed and tried with each Python that is here (RIACHO_PYTHONS); the README's lines for pipx and uvx
	@$(PY) tools/python_versions.py

image-tree: setup  ## both images built without an engine, measured, and run as their user on a read-only root (root, buildah, mmdebstrap)
	@$(PY) tools/image_tree.py

kubernetes-check: setup  ## every field of the manifests, rendered, compared with the types of Kubernetes' API
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements/deploy.lock
	@$(PY) -m pytest -q tests/e2e/test_kubernetes.py

proofs: setup system-packages  ## long forms, an hour or so: 50 kills of all brokers, a database pipeline, SQL and 200 micro-batches under kills, Spark masters, bugs that chance must find, the console in a browser and at its bounds, the documentation's site
	@RIACHO_POWER_CUTS=50 $(PY) -m pytest -q -s tests/cluster/test_power_cut.py
	@RIACHO_PROOFS=1 RIACHO_SPARK_MASTERS=all RIACHO_SPARK_FAULT_BATCHES=200 $(PY) -m pytest -q -s \
	  tests/spark/connect/test_postgresql_pipeline.py tests/spark/sink/test_exactly_once_faults.py tests/spark/masters \
	  tests/property/test_finds_produce_bugs.py tests/browser tests/e2e/test_console_scale.py tests/e2e/test_kubernetes_nodes.py \
	  tests/e2e/test_kafka_shell.py tests/spark/guides/test_tour_guide.py
	@RIACHO_KSQL_KILLS=20 RIACHO_KSQL_LIVE=10 $(PY) -m pytest -q -s \
	  tests/spark/sql/test_exact_under_kills.py tests/spark/sql/test_live_scenarios.py
	@$(MAKE) --no-print-directory docs
	@$(PY) -m pytest -q tests/tidy/test_docs_site.py

apache: setup system-packages  ## clusters of ours and Apache Kafka's nodes, kills included; pipelines, Connect and the console's screens on Apache's brokers
	@RIACHO_MIXED=1 $(PY) -m pytest -q -s tests/cluster/mixed
	@RIACHO_CONFORMANCE_PEER=only RIACHO_PROOFS=1 RIACHO_SPARK_MASTERS=both $(PY) -m pytest -q -s tests/spark \
	  tests/unit/pipelines/connect tests/unit/pipelines/sink/test_epoch.py tests/unit/pipelines/sink/test_sink_options.py \
	  tests/conformance/test_connect_clients.py tests/conformance/test_connect_side_by_side.py tests/browser/test_apache_walk.py

check: setup  ## ruff, mypy, import-linter, tidy tests; the console's pages built again and compared, where there is Node
	@$(VENV)/bin/ruff check src tests bench tools
	@$(VENV)/bin/ruff format --check -q src tests bench tools
	@$(VENV)/bin/mypy
	@$(VENV)/bin/lint-imports
	@$(PY) -m pytest tests/tidy -q
	@bash tools/web_ui.sh

web-ui:  ## write the console's pages from web-ui/, where there is Node
	@bash tools/web_ui.sh build

pictures: setup system-packages  ## pictures of the control center for README and guides, of the demo at work
	@$(PY) tools/pictures.py

newcomer: setup system-packages  ## the README's commands in a clean copy and an empty home, with the time to each first success: docs/newcomer.md
	@$(PY) tools/newcomer.py --no-caches --write docs/newcomer.md

docs: setup  ## the documentation as a site that needs no network, in build/docs/html
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements/docs.lock
	@$(PY) tools/docs_site.py

system-packages:  ## kcat, Java, PostgreSQL, Chromium, docker-compose, zsh, fish and promtool for the tests that need them, where apt may install them
	@bash tools/system_packages.sh

hostile: setup  ## peers that mean harm, in full: every array of every API as large as it may be
	@RIACHO_HOSTILE_ELEMENTS=45000 $(PY) -m pytest tests/hostile -q -s

simulate: setup  ## all simulations, 10,000 seeds each; fewer with SEEDS=500, those from one on with FIRST_SEED=5200
	@RIACHO_SIMULATION_SEEDS=$(SEEDS) RIACHO_SIMULATION_FIRST_SEED=$(FIRST_SEED) $(PY) -m pytest tests/simulation -q --maxfail=5 --tb=short --durations=3

bench: setup  ## Riacho beside Apache Kafka, and its Spark source and sink beside Spark's own, as ratios; the console beside its goals
	@$(PY) -m compileall -q src/riacho
	@PYTHONPATH=src:tests $(PY) -m bench --but spark,ksql,console --write docs/bench.md
	@PYTHONPATH=src:tests $(PY) -m bench --only spark --write docs/bench-spark.md
	@PYTHONPATH=src:tests $(PY) -m bench --only ksql --write docs/bench-ksql.md
	@PYTHONPATH=src:tests $(PY) -m bench --only console --peers riacho --write docs/bench-console.md

clean:  ## remove the virtual environment and caches
	rm -rf $(VENV) build/docs .riacho/release .mypy_cache .ruff_cache .pytest_cache .hypothesis
