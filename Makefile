# Every target creates what it needs first; see docs/contributing.md.
.DEFAULT_GOAL := help
.PHONY: help demo test check bench docs kafka services clean requirements

PYTHON ?= python3
BIN := .venv/bin
REQUIREMENTS := deploy/requirements

help:  ## show the targets
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*## /\t/'

# A stamp per set of requirements: running needs fewer packages than developing, and benches need peers to compare with.
.venv/%.stamp: $(REQUIREMENTS)/%.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r $(REQUIREMENTS)/$*.txt
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

demo: .venv/runtime.stamp  ## see it work on pages it generates
	$(BIN)/hss-stream demo

test: .venv/dev.stamp  ## run every test this machine can run
	$(BIN)/python -m pytest -n 2 --dist loadgroup

check: .venv/dev.stamp  ## format, lint, types, house rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/house

bench: .venv/bench.stamp  ## JSON lines with ratios to baselines; NAME=style for one, SLOW=1 for all
	@$(BIN)/python -m tests.bench $(NAME)

docs: .venv/dev.stamp  ## write the generated pages again
	$(BIN)/python -m tests.house.write_docs
	$(BIN)/python -m tests.house.cli_page >docs/cli.md
	$(BIN)/python -c 'from hss_stream.gateway.openapi import to_bytes; print(to_bytes().decode(), end="")' >docs/openapi.json
	$(BIN)/python -m tests.house.sync_client

kafka:  ## a local Kafka broker on KAFKA_PORT (9092), in the foreground (needs Java 17 and Maven)
	deploy/kafka/fetch
	deploy/kafka/start $(KAFKA_PORT)

services:  ## install the other real programs that tests talk to (root, Debian)
	deploy/install-services

clean:  ## remove what the other targets created
	rm -rf .venv .cache build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find hss_stream tests -name __pycache__ -type d -prune -exec rm -rf {} +

requirements:  ## pin again, with hashes, after changing a .in file (needs uv)
	cd $(REQUIREMENTS) && for set in runtime dev bench; do \
	  uv pip compile -q --upgrade --generate-hashes --no-emit-index-url --no-header --universal --python-version 3.11 \
	    $$([ $$set = runtime ] || echo -c runtime.txt) -o $$set.txt $$set.in; done
