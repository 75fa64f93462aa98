# vramlint. `make help` lists what there is to make.
#
# Yours to set: CC, CFLAGS, CPPFLAGS, LDFLAGS, LDLIBS, HOSTCC (builds what runs during the build), PREFIX, DESTDIR,
# MODE (release, debug, asan, tsan, cov, fuzz), V=1 (show commands), WERROR=1 (warnings are errors), ARGS (for run),
# TREES (for bench), TORCH_PYTHON and ORACLE (for test-fixes-torch), VSCODE=1 (test takes test-vscode in).

MODE ?= release
PREFIX ?= /usr/local
PYTHON ?= python3
PKG_CONFIG ?= pkg-config
HOSTCC ?= cc
VERSION := 0.1.0

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

Q := $(if $(V),,@)
out := build/$(MODE)
program := $(out)/vramlint

# --- modes ---------------------------------------------------------------------------------------------------------

sanitize := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
mode_cflags.release := -O2 -g
mode_cflags.debug := -O0 -g3 -DVRAMLINT_DEBUG
mode_cflags.asan := -O1 -g -DVRAMLINT_DEBUG $(sanitize)
mode_cflags.tsan := -O1 -g -DVRAMLINT_DEBUG -fsanitize=thread
mode_cflags.cov := -O0 -g -DVRAMLINT_DEBUG --coverage
mode_cflags.fuzz := -O1 -g -DVRAMLINT_DEBUG -fsanitize=fuzzer-no-link $(sanitize)
mode_ldflags.asan := $(sanitize)
mode_ldflags.tsan := -fsanitize=thread
mode_ldflags.cov := --coverage
mode_ldflags.fuzz := $(sanitize)

ifndef mode_cflags.$(MODE)
$(error MODE is '$(MODE)'; it may be release, debug, asan, tsan, cov or fuzz)
endif

# libFuzzer comes with clang only.
clang = $(firstword $(shell command -v clang-14 clang 2>/dev/null) clang)
ifeq ($(MODE)-$(origin CC),fuzz-default)
CC := $(clang)
endif
CFLAGS ?= $(mode_cflags.$(MODE))
# Who sets CFLAGS chooses optimisation and debug information; what makes the mode what it is stays.
needed_cflags := $(filter -f% -D% --coverage,$(mode_cflags.$(MODE)))

# --- flags ---------------------------------------------------------------------------------------------------------

warnings := -Wall -Wextra -Wpedantic -Wmissing-prototypes -Wstrict-prototypes -Wold-style-definition -Wvla \
	-Wwrite-strings -Wpointer-arith -Wshadow -Wundef -Wno-unused-parameter
ifneq ($(or $(WERROR),$(CI)),)
warnings += -Werror
endif

deps := build/deps
# The grammars' sources, by the name of their objects.
grammar.python := $(deps)/tree-sitter-python/src
grammar.toml := $(deps)/tree-sitter-grammars-tree-sitter-toml/src
grammars := python toml
core := $(deps)/tree_sitter/tree_sitter/core/lib

libraries := libpcre2-8 libcjson libutf8proc libxxhash
libraries_cflags := $(shell $(PKG_CONFIG) --cflags $(libraries) 2>/dev/null)
libraries_libs := $(or $(shell $(PKG_CONFIG) --libs $(libraries) 2>/dev/null),-lpcre2-8 -lcjson -lutf8proc -lxxhash)

our_cppflags := -Isrc -isystem $(core)/include $(libraries_cflags) -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 \
	-DVRAMLINT_VERSION='"$(VERSION)"'
our_cflags := -std=c11 -pthread $(needed_cflags)
our_ldflags := -pthread $(mode_ldflags.$(MODE))

compile = $(CC) $(our_cflags) $(our_cppflags) $(CPPFLAGS) $(CFLAGS) -MMD -MP
link = $(CC) $(our_ldflags) $(CFLAGS) $(LDFLAGS)
libs = $(libraries_libs) -lm $(LDLIBS)

# --- sources -------------------------------------------------------------------------------------------------------

sources := $(sort $(wildcard src/*/*.c))
main_source := $(wildcard src/main.c)
shim := build/gen/confirm-shim.so
data := $(sort $(wildcard rules/*.json rules/*.md rules/models/*.json queries/*.scm src/report/*.html src/report/*.css \
	src/confirm/*.html src/confirm/*.css src/confirm/agent/*.py)) \
	$(if $(wildcard src/confirm/agent/shim.c),$(shim))
unit_sources := $(sort $(wildcard tests/unit/test_*.c))
fuzz_sources := $(sort $(wildcard tests/fuzz/fuzz_*.c))

objects := $(sources:%.c=$(out)/%.o)
main_object := $(main_source:%.c=$(out)/%.o)
grammar_objects := $(foreach name,$(grammars),$(out)/deps/$(name)/parser.o $(out)/deps/$(name)/scanner.o)
deps_objects := $(out)/deps/core.o $(grammar_objects)
archive := $(out)/libvramlint.a
archived := $(objects) $(out)/gen/embedded.o $(deps_objects)
unit_programs := $(unit_sources:tests/unit/%.c=$(out)/unit/%)
fuzz_programs := $(fuzz_sources:tests/fuzz/%.c=$(out)/fuzz/%)

-include $(objects:.o=.d) $(main_object:.o=.d) $(out)/gen/embedded.d $(deps_objects:.o=.d) \
	$(unit_programs:=.d) $(fuzz_programs:=.d)

# $(call remember,TEXT): writes TEXT to the target when it is not there already, so that what depends on the target is
# made again when TEXT (flags, a list of files) changes, and only then.
remember = @mkdir -p $(@D); printf '%s\n' '$(subst ','\'',$(1))' >$@.new; \
	if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

# --- build ---------------------------------------------------------------------------------------------------------

.PHONY: all
all: $(if $(main_source),$(program),$(archive)) ## build the program into build/MODE (the default)

$(program): $(main_object) $(archive)
	@echo "  LINK    $@"
	$(Q)$(link) $(main_object) $(archive) $(libs) -o $@

$(archive): $(archived) $(out)/archived.list
	@echo "  AR      $@"
	$(Q)rm -f $@ && $(AR) rcs $@ $(archived)

$(out)/archived.list: FORCE
	$(call remember,$(archived))
$(out)/flags: FORCE
	$(call remember,$(compile) $(warnings))
$(out)/deps/flags: FORCE
	$(call remember,$(compile))
build/gen/data.list: FORCE
	$(call remember,$(data))

$(out)/%.o: %.c $(out)/flags | $(deps)/stamp
	@mkdir -p $(@D)
	@echo "  CC      $@"
	$(Q)$(compile) $(warnings) -c $< -o $@

$(out)/gen/%.o: build/gen/%.c $(out)/flags | $(deps)/stamp
	@mkdir -p $(@D)
	@echo "  CC      $@"
	$(Q)$(compile) $(warnings) -c $< -o $@

build/gen/embedded.c: build/embed build/gen/data.list $(data)
	@echo "  GEN     $@"
	$(Q)build/embed $(data) >$@

# Goes into the user's processes, so that it is built without sanitizers whatever MODE is.
$(shim): src/confirm/agent/shim.c
	@mkdir -p $(@D)
	@echo "  CC      $@"
	$(Q)$(CC) -shared -fPIC -O2 -std=gnu11 -Wall -Wextra $< -o $@

build/embed: tools/embed.c
	@mkdir -p $(@D)
	@echo "  HOSTCC  $@"
	$(Q)$(HOSTCC) -std=c11 -O1 -Wall -Wextra $< -o $@

# Code of others is compiled without warnings and never changed.
$(out)/deps/core.o: $(deps)/stamp $(out)/deps/flags
	@mkdir -p $(@D)
	@echo "  CC      $@"
	$(Q)$(compile) -w -D_DEFAULT_SOURCE -I$(core)/include -I$(core)/src -c $(core)/src/lib.c -o $@

$(grammar_objects): $(out)/deps/%.o: $(deps)/stamp $(out)/deps/flags
	@mkdir -p $(@D)
	@echo "  CC      $@"
	$(Q)$(compile) -w -I$(grammar.$(*D)) -c $(grammar.$(*D))/$(*F).c -o $@

$(deps)/stamp: deps.lock tools/fetch-deps
	$(Q)PYTHON='$(PYTHON)' tools/fetch-deps $(deps) && touch $@

.PHONY: deps
deps: $(deps)/stamp ## fetch, verify and unpack what deps.lock pins

# --- install -------------------------------------------------------------------------------------------------------

bindir := $(PREFIX)/bin
mandir := $(PREFIX)/share/man/man1
docdir := $(PREFIX)/share/doc/vramlint
bashdir := $(PREFIX)/share/bash-completion/completions
zshdir := $(PREFIX)/share/zsh/site-functions
fishdir := $(PREFIX)/share/fish/vendor_completions.d
# What the program writes about itself.
man_page := $(out)/share/vramlint.1
completions := $(out)/share/vramlint.bash $(out)/share/_vramlint $(out)/share/vramlint.fish
documents := $(sort $(wildcard rules/*.md))

$(man_page): $(program)
	@mkdir -p $(@D)
	$(Q)$(program) man >$@
$(out)/share/vramlint.bash: $(program)
	@mkdir -p $(@D)
	$(Q)$(program) completions bash >$@
$(out)/share/_vramlint: $(program)
	@mkdir -p $(@D)
	$(Q)$(program) completions zsh >$@
$(out)/share/vramlint.fish: $(program)
	@mkdir -p $(@D)
	$(Q)$(program) completions fish >$@

.PHONY: man install uninstall
man: $(man_page) $(completions) ## the manual page and the shells' completions, into build/MODE/share

install: all man ## install below DESTDIR and PREFIX (default /usr/local)
	install -d '$(DESTDIR)$(bindir)' '$(DESTDIR)$(mandir)' '$(DESTDIR)$(docdir)/rules' '$(DESTDIR)$(bashdir)' \
		'$(DESTDIR)$(zshdir)' '$(DESTDIR)$(fishdir)'
	install -m 755 $(program) '$(DESTDIR)$(bindir)/vramlint'
	install -m 644 $(man_page) '$(DESTDIR)$(mandir)/vramlint.1'
	install -m 644 $(documents) '$(DESTDIR)$(docdir)/rules'
	install -m 644 $(out)/share/vramlint.bash '$(DESTDIR)$(bashdir)/vramlint'
	install -m 644 $(out)/share/_vramlint '$(DESTDIR)$(zshdir)/_vramlint'
	install -m 644 $(out)/share/vramlint.fish '$(DESTDIR)$(fishdir)/vramlint.fish'

uninstall: ## remove what install put there
	rm -rf '$(DESTDIR)$(docdir)'
	rm -f '$(DESTDIR)$(bindir)/vramlint' '$(DESTDIR)$(mandir)/vramlint.1' '$(DESTDIR)$(bashdir)/vramlint' \
		'$(DESTDIR)$(zshdir)/_vramlint' '$(DESTDIR)$(fishdir)/vramlint.fish'

# --- the Python package ------------------------------------------------------------------------------------------------

packaging := build/packaging
DIST ?= dist
in_packaging = $(packaging)/bin/python -m hatchling build -d '$(DIST)'

# What pyproject.toml builds with, once and not for each wheel.
$(packaging)/stamp: pyproject.toml
	$(Q)$(PYTHON) -m venv $(packaging)
	$(Q)$(packaging)/bin/pip install -q --disable-pip-version-check \
		$$(sed -n 's/^requires = \[\(.*\)\].*/\1/p' pyproject.toml | tr -d '",')
	@touch $@

.PHONY: wheel sdist
wheel: $(packaging)/stamp ## a wheel into DIST, dist/ (MANYLINUX=1: one for any Linux of the last ten years)
	$(Q)VRAMLINT_MANYLINUX='$(MANYLINUX)' $(in_packaging) -t wheel

sdist: $(packaging)/stamp ## the source archive into DIST, dist/
	$(Q)$(in_packaging) -t sdist

# --- tests ---------------------------------------------------------------------------------------------------------

$(out)/unit/%: tests/unit/%.c $(archive) $(out)/flags
	@mkdir -p $(@D)
	@echo "  CC      $@"
	$(Q)$(compile) $(warnings) -MT $@ -MF $@.d $(our_ldflags) $(LDFLAGS) $< $(archive) $(libs) -lcmocka -o $@

$(out)/fuzz/%: tests/fuzz/%.c $(archive) $(out)/flags
	@mkdir -p $(@D)
	@echo "  CC      $@"
	$(Q)$(compile) $(warnings) -MT $@ -MF $@.d -fsanitize=fuzzer $(our_ldflags) $(LDFLAGS) $< $(archive) $(libs) -o $@

.PHONY: unit-programs fuzz-programs
unit-programs: $(unit_programs)
fuzz-programs: $(fuzz_programs) ## build the fuzz targets, with MODE=fuzz

# Suites beside those named here: every executable tests/*/run. It finds the program in $VRAMLINT.
own_suites := $(sort $(wildcard tests/*/run))

.PHONY: test test-installed fuzz test-unit test-fixtures score bless bless-score lint
test: ## install what the tests need, build, run all suites
	@tools/install-packages build test $(if $(VSCODE),vscode)
	@$(MAKE) --no-print-directory test-installed

# Besides the program itself, one built by clang with sanitizers; fuzz is that mode.
test-installed: all unit-programs ## all suites, with what is installed
	@$(MAKE) --no-print-directory MODE=fuzz CC=$(clang) all unit-programs fuzz-programs
	@VRAMLINT=$(abspath $(program)) $(PYTHON) tests/summary \
		'layers=tools/check-layers' \
		'rules=tools/check-rules $(program)' \
		'unit=tests/run-unit $(unit_programs)' \
		'unit, sanitized=tests/run-unit $(unit_programs:$(out)/%=build/fuzz/%)' \
		'fixtures=tests/run-fixtures $(program)' \
		'fixtures, sanitized=tests/run-fixtures build/fuzz/vramlint' \
		'score=tests/score $(program)' \
		$(foreach suite,$(own_suites),'$(patsubst tests/%/run,%,$(suite))=$(suite)') \
		$(if $(VSCODE),'vscode window=tests/vscode/in-vscode')

FUZZ_SECONDS ?= 60
fuzz: ## look for inputs that break it, FUZZ_SECONDS for each target
	@$(MAKE) --no-print-directory MODE=fuzz CC=$(clang) fuzz-programs
	@tests/fuzz/run --seconds $(FUZZ_SECONDS)

test-unit: unit-programs ## the unit tests
	@tests/run-unit $(unit_programs)

test-fixtures: all ## each rule's fixtures
	@tests/run-fixtures $(program)

.PHONY: test-vscode
test-vscode: ## install what it needs, build, use the extension in a real VS Code
	@tools/install-packages build vscode
	@$(MAKE) --no-print-directory all
	@VRAMLINT=$(abspath $(program)) $(PYTHON) tests/vscode/in-vscode

# What has torch in it: an environment below build, or one that is there already.
TORCH_PYTHON ?= build/torch/bin/python
build/torch/bin/python: tests/fixes/requirements-torch.txt
	$(PYTHON) -m venv build/torch && build/torch/bin/pip install -q -r $< && touch $@

.PHONY: test-fixes-torch
test-fixes-torch: all $(TORCH_PYTHON) ## run all cases that have a fix before and after it, with torch (TORCH_PYTHON, ORACLE)
	@VRAMLINT=$(abspath $(program)) $(TORCH_PYTHON) tests/fixes/with-torch $(if $(ORACLE),--oracle '$(ORACLE)')

.PHONY: test-confirm
test-confirm: all $(TORCH_PYTHON) ## the agent of confirm in processes that train, with torch (TORCH_PYTHON)
	@VRAMLINT=$(abspath $(program)) $(TORCH_PYTHON) tests/confirm/agent.py
	@VRAMLINT=$(abspath $(program)) $(TORCH_PYTHON) tests/confirm/whole.py --fork tests/confirm/training
	@VRAMLINT=$(abspath $(program)) tests/cuda/run --python $(TORCH_PYTHON) --fake
	@VRAMLINT=$(abspath $(program)) $(TORCH_PYTHON) tests/growth/with-torch

REAL_PYTHON ?= build/torch-real/bin/python
build/torch-real/bin/python: tests/confirm/real/requirements.txt
	$(PYTHON) -m venv build/torch-real && build/torch-real/bin/pip install -q -r $< && touch $@

.PHONY: test-confirm-real test-confirm-torch
test-confirm-real: all $(REAL_PYTHON) ## confirm on real training: Lightning, transformers, ranks, … (REAL_PYTHON)
	@VRAMLINT=$(abspath $(program)) $(REAL_PYTHON) tests/confirm/real/run

# Downloads 0.8 GB a version, once. VERSION@PROGRAM names another Python.
VERSIONS ?= 2.2.2 2.6.0
test-confirm-torch: all ## confirm with other versions of torch (VERSIONS)
	@VRAMLINT=$(abspath $(program)) $(PYTHON) tests/confirm/versions build/torch-versions $(VERSIONS)

score: all ## found and false alarms on tests/cases, by rule
	@tests/score $(program)

bless-score: all ## take the present score as the one that may not get worse
	@tests/score --bless $(program)

bless: all ## write the golden files anew; read the diff
	@for suite in $(own_suites); do \
		if grep -q -e --bless "$$suite"; then VRAMLINT=$(abspath $(program)) "$$suite" --bless || exit; fi; done

.PHONY: bench
bench: all ## time and memory beside ruff (TREES: folders to check)
	@tests/bench/speed --bin $(program) $(TREES)

lint: ## layers, rules and their documents
	@tools/check-layers
	@tools/check-rules $(wildcard $(program))

# --- the main job --------------------------------------------------------------------------------------------------

ARGS ?= check examples/train.py

.PHONY: run run-installed
run: ## install what is missing, build, check a training script (yours: make run ARGS="check path")
	@tools/install-packages build
	@$(MAKE) --no-print-directory run-installed

run-installed: all
	@$(program) $(ARGS); status=$$?; \
	if [ $$status -gt 1 ]; then exit $$status; fi; \
	$(if $(filter file,$(origin ARGS)),printf '\n%s\n' 'Your own code: make run ARGS="check path/to/your/code"')

# --- rest ----------------------------------------------------------------------------------------------------------

.PHONY: clean distclean help FORCE
clean: ## remove build/ (what was fetched stays)
	rm -rf build

distclean: clean ## remove what was fetched as well
	rm -rf .deps

help: ## this list
	@echo 'make [TARGET] [MODE=release|debug|asan|tsan|cov|fuzz] [V=1] [WERROR=1]'
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' $(firstword $(MAKEFILE_LIST)) | \
		while IFS='|' read -r name text; do printf '  %-16s %s\n' $$name "$$text"; done

FORCE:
