# Hamlet: every command of the project. `make help` lists them.
# Each target installs what it needs (node_modules, Debian packages, built programs), and is quick if nothing has changed.
SHELL := /bin/sh
NODE := node_modules/.bin/node
VILLAGE := $(NODE) local/village/main.ts
.DEFAULT_GOAL := help
.PHONY: help up down dev logs doctor backup drill restore lint format test test-one test-full mutants bench-world bench-operator bench-api bench-ledger bench-memory bench-memory-recall bench-engine bench-workflow bench-gateway bench-tools bench-json bench-web eval model soak verify-log images programs crds plugin charts ready

help: ## prints this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

up programs test test-full: NEEDS := programs
up: ready ## starts the village: cluster, images, charts; prints the URL and the first login. CLUSTER=current YES=1 IMAGE_REGISTRY=host/path PORT=8080 TOOLS=slim OUTSIDE=on VALUES=file MODEL=URL MODEL_NAME= MODEL_KEY=
	@$(VILLAGE) up

down: ready ## ends the village and the dev servers of this checkout, and keeps the data. WIPE=1 also removes the data
	@$(VILLAGE) down

dev: ready ## runs api, Postgres and Redis on loopback, without Kubernetes. DETACH=1 returns when ready, RESIDENTS=1 also starts ada and bob, MODEL=URL connects a language model
	@$(VILLAGE) dev

model: ready ## fetches a small real model and serves it, to write lines for a village: a base model. PORT=8090 HOST=127.0.0.1 FETCH=1
	@$(NODE) local/model/main.ts

logs: ready ## follows the village's logs. WHO=api, operator, broker, postgres, redis or an agent's name
	@$(VILLAGE) logs

doctor: ready ## checks everything that the village depends on, and prints the fixes
	@$(VILLAGE) doctor

backup: ready ## writes a backup of the village to one dated file. FILE=path CLUSTER=current NAMESPACE=hamlet
	@$(VILLAGE) backup

drill: ready ## measures every brake of the running village, from the click to the last effect, and keeps the figures. TRIALS=5 YES=1
	@$(NODE) local/drill/main.ts

restore: ready ## replaces the data of the running village by a backup or an earlier moment. FILE=path or UNTIL=2026-11-30T03:12:07Z, YES=1 CLUSTER=current
	@$(VILLAGE) restore

images: ready ## builds the container images whose inputs changed. ARCH=arm64, amd64 or all, TOOLS=slim with fewer tools for agents
	@$(VILLAGE) images

programs: ready ## builds the programs of the local cluster: the tests of a single file need them too
	@$(VILLAGE) programs

lint: ready ## checks oxlint, format, types and generated files
	@$(NODE) test/run.ts --only lint

# Some chains of calls reach their final form only in the second pass.
format: ready ## formats TypeScript and JSON with oxfmt, Go with gofmt
	@node_modules/.bin/oxfmt . && node_modules/.bin/oxfmt .
	@git ls-files -z '*.go' | xargs -0 gofmt -w

crds: ready ## writes crds/bases from the zod contract
	@$(NODE) crds/gen/main.ts

plugin: ready ## bundles kubectl-hamlet, the plugin "kubectl hamlet", into one file
	@$(NODE) cli/kubectl/build.ts

charts: ready ## writes the generated files of the charts
	@$(NODE) charts/gen/generate.ts

test: ready ## runs lint, unit, integration and the journeys of a village. ONLY=unit,village selects parts, CHANGED=origin/main what a change can reach
	@$(NODE) test/run.ts

test-one: ready ## runs one test file with all that it needs. FILE=path FULL=1
	@$(NODE) test/run.ts --file "$(FILE)" $(if $(FULL),--full)

test-full: ready ## runs every test with its full count, resumable; keeps its results in test/results
	@$(NODE) test/run.ts --full

mutants: ready ## changes one operator at a time and lists the changes that a package's own tests miss. PACKAGE=core N=50 SEED=1; MIN=85 fails below 85 % noticed
	@$(NODE) --disable-warning=ExperimentalWarning test/mutants/main.ts --package "$(PACKAGE)" --count $(or $(N),50) --seed $(or $(SEED),1) --min $(or $(MIN),0)

bench-world: ready ## measures bytes, CPU and latency of 1,000 walkers and 200 viewers beside Colyseus
	@$(NODE) bench/world/main.ts

bench-operator: ready ## measures 1,000 Agents until Running, beside a script without a controller and beside bare pods
	@$(NODE) bench/operator/main.ts

bench-api: ready ## measures requests a second of world, board page and reply beside bare node:http with the same SQL
	@$(NODE) bench/api/main.ts

bench-ledger: ready ## measures transfers a second of the ledger beside a hand-written one, by pgbench
	@$(NODE) bench/ledger/main.ts

bench-memory: ready ## measures the memory of an idle resident, operator and api
	@$(NODE) bench/memory/main.ts

bench-memory-recall: ready ## measures what the memory finds in generated conversations, beside BM25, vectors and their fusion
	@$(NODE) bench/memory-recall/main.ts

bench-engine: ready ## measures a tool call, durable steps, memory and tokens of the engine beside others (ONLY=tokens)
	@$(NODE) bench/engine/main.ts $(if $(ONLY),--only $(ONLY))

bench-workflow: ready ## measures workflows of a hundred stages, their bytes and memory beside LangGraph.js, DBOS and Mastra
	@$(NODE) bench/workflow/main.ts

bench-gateway: ready ## measures the latency that the models gateway adds, beside LiteLLM's proxy
	@$(NODE) bench/gateway/main.ts

bench-tools: ready ## measures calls of shell and write_file beside MCP servers, and requests through the broker beside Squid
	@$(NODE) bench/tools/main.ts

bench-json: ready ## measures how often damaged JSON is read right, beside jsonrepair and the AI SDK's parser
	@$(NODE) bench/json/main.ts

bench-web: ready ## measures the web in Chromium: first picture, work of a frame, panel, bytes, idle tab, axe; beside PixiJS and Phaser (ONLY=frames)
	@$(NODE) bench/web/main.ts $(if $(ONLY),--only $(ONLY))

eval: ready ## gives 24 tasks to agents of the village of make up, and judges what they leave. MODEL=URL MODEL_NAME= MODEL_KEY= TASKS= ATTEMPTS=1; ARGS=--help explains all
	@$(NODE) evals/main.ts $(ARGS)

verify-log: ready ## verifies the sealed log of the local village. KEPT=PATH of a copy outside of the village
	@$(NODE) cli/verify/src/main.ts --running .hamlet $(if $(KEPT),--kept $(KEPT))

soak: ready ## runs the operator (WHAT=operator) or the api (WHAT=api) under load and faults for HOURS=1; measures memory and counts misses
	@$(NODE) $(if $(filter api,$(WHAT)),test/soak-api/main.ts,test/runtime/soak/main.ts) --hours $(or $(HOURS),1)

ready:
	@sh local/village/bootstrap.sh $(NEEDS)
