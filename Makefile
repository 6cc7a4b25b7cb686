# Every target does the set-up it needs, on a fresh clone too. BASE_PYTHON names the Python that .venv is made from.

BUILD := build/native
VENV := .venv/bin/python
# The Python tests that run under AddressSanitizer, too.
SANITIZED := $(addprefix tests/python/test_,random_programs.py moving_shapes.py reshaping.py numpy_memory.py threads.py)

.DEFAULT_GOAL := help
.PHONY: help run example test test-spark build bench docs lint format sanitize sanitize-thread fuzz clean classpath native

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

run: ## Train a digit classifier in Python, in Java and across both; pictures in build/run
	@scripts/setup.sh build run data
	@scripts/build.sh $(BUILD) all
	@$(VENV) -m examples.digits

example: ## Run an example: make example NAME=cnn (or gan, regression, spaces, transformer, vae; in Java: ARGS=--java)
	@scripts/setup.sh build run data gradle
	@scripts/build.sh $(BUILD) all
	@$(VENV) -m examples.$(or $(NAME),$(error name an example, as in make example NAME=cnn)) $(ARGS)

test: ## Run all tests: GoogleTest, pytest and JUnit (or SUITES="ctest pytest junit")
	@scripts/setup.sh build run data test
	@scripts/build.sh $(BUILD) all onetape_tests
	@$(VENV) scripts/run_tests.py $(SUITES)

test-spark: ## Run the tests on Apache Spark, which weighs half a gigabyte
	@scripts/setup.sh build run test spark
	@scripts/build.sh $(BUILD) all
	@scripts/spark.sh

build: ## Build the native library, the Python module and the jar, in place
	@scripts/setup.sh build run
	@scripts/build.sh $(BUILD) all

native: # The native library and the generated sources alone, for Gradle
	@scripts/setup.sh build
	@scripts/build.sh $(BUILD) onetape_native onetape_codegen

bench: ## Measure against the peers that are installed
	@scripts/setup.sh build run
	@scripts/build.sh $(BUILD) all
	@$(VENV) -m benchmarks $(ARGS)

docs: ## Build the documentation site into build/docs
	@scripts/setup.sh build docs
	@scripts/build.sh $(BUILD) onetape_codegen
	@scripts/docs.sh

lint: ## Check form, types and common mistakes in all languages
	@scripts/setup.sh build run test lint
	@scripts/build.sh $(BUILD) all
	@scripts/lint.sh

format: ## Bring all sources into their form
	@scripts/setup.sh build lint
	@scripts/format.sh

sanitize: ## Run native tests and random programs under AddressSanitizer and UndefinedBehaviorSanitizer
	@scripts/setup.sh build run test
	@scripts/build.sh build/sanitize all onetape_tests \
	  -DONETAPE_SANITIZE=ADDRESS -DONETAPE_IN_PLACE=OFF -DONETAPE_JAVA=OFF
	@ctest --test-dir build/sanitize --output-on-failure --no-tests=error --progress -j $$(nproc)
	@$(VENV) scripts/sanitize_python.py build/sanitize $(SANITIZED)

sanitize-thread: ## Run the native tests under ThreadSanitizer
	@scripts/setup.sh build test
	@scripts/build.sh build/sanitize-thread onetape_tests \
	  -DONETAPE_SANITIZE=THREAD -DONETAPE_IN_PLACE=OFF -DONETAPE_PYTHON=OFF -DONETAPE_JAVA=OFF
	@TSAN_OPTIONS="suppressions=$(CURDIR)/native/tests/tsan.supp" \
	  ctest --test-dir build/sanitize-thread --output-on-failure --no-tests=error --progress -j $$(nproc)

fuzz: ## Call all with arguments nobody means, from threads, at exits, for an hour and more (or ARGS="--seconds 60")
	@scripts/setup.sh build run test
	@scripts/build.sh $(BUILD) all
	@$(VENV) -m tests.fuzz $(or $(ARGS),--seconds 1200 --first -1)

classpath: ## Print the class path that runs a Java program (with make -s)
	@scripts/setup.sh build >&2
	@scripts/build.sh $(BUILD) all > build/classpath.log 2>&1 || { cat build/classpath.log >&2; exit 1; }
	@echo $(CURDIR)/python/onetape/onetape.jar

clean: ## Remove all that was built; .venv stays
	@echo "clean: removing what was built"
	@rm -rf build .gradle java/*/build
	@rm -rf python/onetape/_C* python/onetape/lib python/onetape/licenses python/onetape/onetape.jar
