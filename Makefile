# Targets for developers. They need Go, npm (engines), Java 17 and Maven (kafka).
# Tools are built at the versions below into .cache/bin and are not in go.mod.

GOLANGCI_VERSION := v2.15.0
GOVULN_VERSION   := v1.9.0
BUF_VERSION      := $(shell sed -n 's,.*bufbuild/buf/cmd/buf@\(v[0-9.]*\) lint.*,\1,p' schema/generate.go)
GOLANGCI         := .cache/bin/golangci-lint-$(GOLANGCI_VERSION)
BUF              := .cache/bin/buf-$(BUF_VERSION)
GOVULN           := .cache/bin/govulncheck-$(GOVULN_VERSION)

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

.PHONY: help engines kafka kafka-stop generate build test race lint vulnerabilities format judgement-hash fuzz bench bench-watch bench-peer bench-life bench-behind bench-archive soak demo helm alerts helm-test reproducible sbom notices clean
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
	CGO_ENABLED=0 go build -trimpath -ldflags '-X main.version=$(VERSION)' -o $@ ./cmd/$*

test: engines ## run all tests with real engines; RUN=name for some
	go test -timeout 60m -ldflags=-w -run '$(RUN)' ./...

race: ## run the tests without engines under the race detector; needs a C compiler
	go test -timeout 30m -race -short ./...

lint: $(GOLANGCI) $(BUF) ## check coding rules, formatting and the event contract
	$(GOLANGCI) run ./...
	$(BUF) lint schema/proto

vulnerabilities: ## check the code and its modules for known vulnerabilities; GOVULNDB=file:///FOLDER for a copy of the database
	@deploy/dev/vulnerabilities.sh $(GOVULN) $(GOVULN_VERSION)

format: $(GOLANGCI) ## format the code
	$(GOLANGCI) fmt ./...

judgement-hash: ## print a SHA-256 over the findings and facts of fixtures, scenarios and N simulated shoes
	go run ./cmd/devstack judgement --shoes $(N)

fuzz: ## run each fuzz target for FUZZTIME
	@deploy/dev/fuzz.sh $(FUZZTIME)

bench: engines ## run all benchmarks; RUN=name for some
	go test -timeout 60m -run '^$$' -bench '$(RUN)' -benchmem ./...

bench-watch: ## memory, restart and speed of audit watch: TABLES tables for DAYS days (1000 and 30 for the long form)
	SHOEPROOF_FLOOR=$(TABLES)x$(or $(DAYS),3) GOMEMLIMIT=400MiB go test ./internal/watch -run FloorMemory -v -count=1 -timeout 0

bench-peer: engines ## compare ingest with ClickHouse's own Kafka engine, and print the budget by stage
	go test ./cmd/ingest -timeout 20m -run '^$$' -bench 'Peer$$|Budget$$' -benchtime 3x -v

bench-life: engines ## play TABLES tables on PARTITIONS partitions at SPEED times the speed of life for DURATION
	LIFE_TABLES='$(TABLES)' LIFE_PARTITIONS='$(PARTITIONS)' LIFE_SPEED='$(SPEED)' LIFE_DURATION='$(DURATION)' \
		go test ./cmd/ingest -timeout 0 -run '^$$' -bench 'Life$$' -benchtime 1x -v

bench-behind: engines ## read a backlog of EVENTS events; report memory and the share of the collector
	BEHIND_EVENTS='$(EVENTS)' go test ./cmd/ingest -timeout 0 -run '^$$' -bench 'Behind$$' -benchtime 1x -v

bench-archive: engines ## store EVENTS events and audit them again with 1, 2 and 4 workers; extrapolate a property's year
	SHOEPROOF_EVENTS='$(EVENTS)' go test ./internal/nightly -timeout 0 -run '^$$' -bench 'Archive$$' -benchtime 1x -v

soak: engines ## run the tests in their long form, for hours; RUN=name for some, SHOEPROOF_SEED=n for other shoes
	SHOEPROOF_SOAK=1 go test -timeout 0 -count 1 -v -run '$(RUN)' ./...

# Not `go run`, which fails when Ctrl-C ends the demo.
demo: engines ## run a simulated floor with all programs on this machine
	go build -trimpath -o .cache/bin/devstack ./cmd/devstack
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

clean: kafka-stop ## remove build output; the engines stay in the user's cache
	rm -rf bin .cache

$(GOLANGCI):
	@echo 'building golangci-lint $(GOLANGCI_VERSION), takes some minutes'
	GOBIN='$(CURDIR)/.cache/bin/new' go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	mv .cache/bin/new/golangci-lint $@

$(BUF):
	GOBIN='$(CURDIR)/.cache/bin/new' go install github.com/bufbuild/buf/cmd/buf@$(BUF_VERSION)
	mv .cache/bin/new/buf $@
