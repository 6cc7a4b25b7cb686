# `make run` and `make test` do all the set-up they need. Every target here may be called on a fresh clone.

BUILD := build/native
SANITIZE := build/sanitize
PYTHON := .venv/bin/python
JAR := $(CURDIR)/python/onetape/onetape.jar
JOBS ?= $(shell nproc)

.DEFAULT_GOAL := help
.PHONY: help run test build bench docs lint format sanitize clean classpath native

help: ## List the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

build: ## Build the native library, the Python module and the jar, in place
	@scripts/setup.sh build run
	@scripts/build.sh $(BUILD)

clean: ## Remove everything that was built; .venv stays
	@echo "clean: removing build output"
	@rm -rf build .gradle java/*/build python/onetape/lib python/onetape/_C* python/onetape/onetape.jar
