# make draw [SVG=FILE] [ARGS="..."]   a phantom robot draws the file
# make test [PYTEST_ARGS="..."]       checks and tests everything, as CI does
# make setup                          the set-up alone; every target does what it needs of it
# make lint                           ruff and mypy
# make clean                          deletes what was set up and built
#
# Nothing of ROS is needed: the set-up brings it into .venv (ROS_DISTRO=kilted: .venv-kilted).

PYTHON ?= python3
SVG ?= examples/hello.svg
ARGS ?=
PYTEST_ARGS ?=

ROS_DISTRO ?= jazzy
ifneq ($(AMENT_PREFIX_PATH),)
# A sourced ROS names its own distro, which may not exist as wheels.
ROS_DISTRO := $(or $(filter jazzy kilted,$(ROS_DISTRO)),jazzy)
endif
VENV := $(CURDIR)/.venv$(if $(filter-out jazzy,$(ROS_DISTRO)),-$(ROS_DISTRO))

SETUP := @ROS_DISTRO='$(ROS_DISTRO)' VENV='$(VENV)' $(PYTHON) tools/setup_venv.py
# elfin-bt cleans its environment itself; other tools must not see a sourced ROS.
WITHOUT_ROS := env -u PYTHONPATH -u LD_LIBRARY_PATH -u AMENT_PREFIX_PATH \
	-u _ROS_WHEELS_BOOTSTRAP_COMPLETE

.PHONY: help setup draw test lint clean

help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile

setup:
	$(SETUP)

draw:
	$(SETUP)
	@'$(VENV)/bin/elfin-bt' draw '$(SVG)' $(ARGS)

test: lint
	$(WITHOUT_ROS) '$(VENV)/bin/python' -m pytest $(PYTEST_ARGS)

lint:
	$(SETUP) --test
	'$(VENV)/bin/ruff' check
	'$(VENV)/bin/ruff' format --check
	$(WITHOUT_ROS) '$(VENV)/bin/mypy'

clean:
	rm -rf .venv .venv-*/ build out .mypy_cache .pytest_cache .ruff_cache .hypothesis *.egg-info
