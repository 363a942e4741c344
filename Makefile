# Targets for developers. They need Go, npm (engines), Java 17 and Maven (kafka).
# Tools are built at the versions below into .cache/bin and are not in go.mod.

GOLANGCI_VERSION := v2.15.0
GOVULN_VERSION   := v1.9.0
NFPM_VERSION     := v2.43.0
BUF_VERSION      := $(shell sed -n 's,.*bufbuild/buf/cmd/buf@\(v[0-9.]*\) lint.*,\1,p' schema/generate.go)
GOLANGCI         := .cache/bin/golangci-lint-$(GOLANGCI_VERSION)
BUF              := .cache/bin/buf-$(BUF_VERSION)
GOVULN           := .cache/bin/govulncheck-$(GOVULN_VERSION)
NFPM             := .cache/bin/nfpm-$(NFPM_VERSION)

VERSION    ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
COMMANDS   := $(notdir $(patsubst %/main.go,%,$(wildcard cmd/*/main.go)))
FUZZTIME   ?= 10s
N          ?= 200
EVENTS     ?= 2000000
RUN        ?= .
TABLES     ?= 20
PARTITIONS ?= 4
SPEED      ?= 1
DURATION   ?= 10m

.PHONY: help verify-page windows verifiers engines images kafka kafka-stop generate build test race lint vulnerabilities format judgement-hash fuzz bench bench-watch bench-delays bench-peer bench-life bench-behind bench-archive bench-history bench-sql soak soak-honest demo helm chart alerts helm-test reproducible sbom notices packages clean
.DEFAULT_GOAL := help

help: ## print this
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

engines: ## download the ClickHouse of the tests and the demo, once
	@deploy/dev/engines.sh

kafka: ## start Apache Kafka 4 in the background and print its address for the tests
	@deploy/dev/kafka.sh start

kafka-stop: ## stop that Kafka
	@deploy/dev/kafka.sh stop

generate: ## generate code
	go generate ./...

build: $(COMMANDS:%=bin/%) ## build the programs into bin/

.PHONY: $(COMMANDS:%=bin/%)
$(COMMANDS:%=bin/%): bin/%:
	CGO_ENABLED=0 go build -trimpath -ldflags '-X main.version=$(VERSION) -X "main.verifiers=$(VERIFIERS)"' -o $@ ./cmd/$*

RELEASE := -trimpath -buildvcs=false -ldflags '-s -w -buildid= -X main.version=$(VERSION)'

verify-page: ## write bin/verify.html, which verifies bundles in a browser
	@mkdir -p bin .cache
	GOOS=js GOARCH=wasm go build $(RELEASE) -o .cache/verify.wasm ./internal/verifypage/wasm
	go run ./internal/verifypage -version '$(VERSION)' -o bin/verify.html .cache/verify.wasm "$$(go env GOROOT)/lib/wasm/wasm_exec.js"

windows: ## build bin/audit.exe for Windows, for readers of bundles
	GOOS=windows GOARCH=amd64 CGO_ENABLED=0 go build $(RELEASE) -o bin/audit.exe ./cmd/audit

verifiers: verify-page windows ## build what verifies bundles elsewhere, and list the SHA-256 in bin/verifiers.sha256
	cd bin && sha256sum verify.html audit.exe | tee verifiers.sha256

test: engines ## run all tests with real engines; RUN=name for some
	deploy/dev/inmemory.sh go test -timeout 60m -ldflags=-w -run '$(RUN)' ./...

# The first package is the root. Its tests only read files.
race: ## run the tests without engines under the race detector; needs a C compiler
	go test -timeout 30m -race -short $$(go list ./... | sed 1d)

lint: $(GOLANGCI) $(BUF) ## check coding rules, formatting and the event contract
	$(GOLANGCI) run ./...
	$(BUF) lint schema/proto

vulnerabilities: ## check the code and its modules for known vulnerabilities; GOVULNDB=file:///FOLDER for a copy of the database
	@deploy/dev/vulnerabilities.sh $(GOVULN) $(GOVULN_VERSION)

images: ## list the images of containers that are named by tag and not by digest
	@deploy/dev/images.sh

format: $(GOLANGCI) ## format the code
	$(GOLANGCI) fmt ./...

judgement-hash: ## print a SHA-256 over the findings and facts of fixtures, scenarios and N simulated shoes
	go run ./cmd/devstack judgement --shoes $(N)

fuzz: ## run each fuzz target for FUZZTIME
	@deploy/dev/fuzz.sh $(FUZZTIME)

bench: engines ## run all benchmarks; RUN=name for some
	go test -timeout 60m -run '^$$' -bench '$(RUN)' -benchmem ./...

bench-watch: ## memory, restart and speed of audit watch: TABLES tables for DAYS days (1000 and 30 for the long form)
	SHOEPROOF_FLOOR=$(TABLES)x$(or $(DAYS),3) go test ./internal/watch -run FloorMemory -v -count=1 -timeout 0

bench-delays: ## the delay from a cheat to its page, through engine and watch: RUNS runs of each row (20)
	SHOEPROOF_DELAYS=$(or $(RUNS),20) go test ./internal/watch -run Delays -v -count=1 -timeout 0

soak-honest: ## ROUNDS honest rounds (1000000) through engine and watch, from table FROM (0): 0 pages
	SHOEPROOF_HONEST_ROUNDS=$(or $(ROUNDS),1000000) SHOEPROOF_HONEST_FROM=$(or $(FROM),0) \
		go test ./internal/watch -run HonestRounds -v -count=1 -timeout 0

bench-peer: engines ## compare ingest with ClickHouse's own Kafka engine over EVENTS events; print the budget by stage
	PEER_EVENTS='$(EVENTS)' go test ./cmd/ingest -timeout 20m -run '^$$' -bench 'Peer$$|Budget$$' -benchtime 3x -v

bench-life: engines ## play TABLES tables on PARTITIONS partitions at SPEED times the speed of life for DURATION
	LIFE_TABLES='$(TABLES)' LIFE_PARTITIONS='$(PARTITIONS)' LIFE_SPEED='$(SPEED)' LIFE_DURATION='$(DURATION)' \
		go test ./cmd/ingest -timeout 0 -run '^$$' -bench 'Life$$' -benchtime 1x -v

bench-behind: engines ## read a backlog of EVENTS events; report memory and the share of the collector
	BEHIND_EVENTS='$(EVENTS)' go test ./cmd/ingest -timeout 0 -run '^$$' -bench 'Behind$$' -benchtime 1x -v

bench-archive: engines ## store EVENTS events and audit them again with 1, 2 and 4 workers (WORKERS); extrapolate a property's year
	SHOEPROOF_EVENTS='$(EVENTS)' SHOEPROOF_WORKERS='$(WORKERS)' go test ./internal/nightly -timeout 0 -run '^$$' -bench 'Archive$$' -benchtime 1x -v

bench-history: engines ## store EVENTS events, and audit their day alone and behind DAYS days of the same facts
	SHOEPROOF_EVENTS='$(EVENTS)' SHOEPROOF_DAYS='$(DAYS)' go test ./internal/nightly -timeout 0 -run '^$$' -bench 'History$$' -benchtime 1x -v

bench-sql: engines ## store EVENTS events; compare rules as SQL over the archive with audit run
	SHOEPROOF_EVENTS='$(EVENTS)' go test ./internal/nightly -timeout 0 -run '^$$' -bench 'SQL$$' -benchtime 1x -v

soak: engines ## run the tests in their long form, for hours; RUN=name for some, SHOEPROOF_SEED=n for other shoes
	SHOEPROOF_SOAK=1 go test -timeout 0 -count 1 -v -run '$(RUN)' ./...

# Not `go run`, which fails when Ctrl-C ends the demo.
demo: engines ## run a simulated floor with all programs on this machine
	go build -trimpath -ldflags '-X main.version=$(VERSION)' -o .cache/bin/devstack ./cmd/devstack
	.cache/bin/devstack demo

helm: ## test the chart
	SHOEPROOF_HELM="$$(deploy/dev/kube.sh helm)" go test -count 1 ./deploy/helm

alerts: ## test the alerts; needs promtool of Prometheus
	promtool check rules deploy/helm/shoeproof/files/alerts.yaml
	promtool test rules deploy/helm/tests/alerts_test.yaml

helm-test: ## install, upgrade, roll back and remove the chart on a real API server
	@deploy/dev/kube.sh test

reproducible: ## build the programs in two places and compare
	@deploy/dev/reproducible.sh

sbom: build ## write a CycloneDX bill of materials beside each program
	for p in ingest audit; do go run ./cmd/devstack sbom bin/$$p >bin/$$p.cdx.json || exit 1; done

notices: ## write the licences of all linked modules to bin/NOTICES
	@mkdir -p bin
	deploy/dev/notices.sh >bin/NOTICES

packages: verifiers notices $(NFPM) ## write a deb and an rpm with units, manual pages and completion to bin, and check the deb
	$(MAKE) build VERIFIERS="$$(awk '{printf "%s%s=%s", s, $$2, $$1; s=" "}' bin/verifiers.sha256)"
	deploy/package/packages.sh $(NFPM)

chart: ## package the chart into bin, with its SHA-256 and commit, and compare it with the source
	deploy/package/chart.sh "$$(deploy/dev/kube.sh helm)"

clean: kafka-stop ## remove build output; the engines stay in the user's cache
	rm -rf bin .cache

$(GOLANGCI):
	@echo 'building golangci-lint $(GOLANGCI_VERSION), takes some minutes'
	GOBIN='$(CURDIR)/.cache/bin/new' go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	mv .cache/bin/new/golangci-lint $@

$(NFPM):
	GOBIN='$(CURDIR)/.cache/bin/new' go install github.com/goreleaser/nfpm/v2/cmd/nfpm@$(NFPM_VERSION)
	mv .cache/bin/new/nfpm $@

$(BUF):
	GOBIN='$(CURDIR)/.cache/bin/new' go install github.com/bufbuild/buf/cmd/buf@$(BUF_VERSION)
	mv .cache/bin/new/buf $@
