/** Which suite each test file belongs to, and why it takes long. */

/** Folders and files of the full suite alone, by their reason. */
const ONLY_IN_FULL: Readonly<Record<string, string>> = {
  'test/clients/': 'installs programs of hundreds of megabytes, and runs each',
  'test/model/': 'downloads a model of 250 MB',
  'test/runtime/': 'minutes of faults, stalls and takeovers between two operators',
  'test/storm/': 'minutes of load through a network that fails',
  'test/simulation/': 'whole lives of residents with a model',
  'test/drill/': 'pulls each brake of a village, and waits for a silence after each',
  'test/schedules/': 'a cluster, thousands of slots, outages and two leaders',
  'local/village/commands/up-current.test.ts': 'installs, upgrades and uninstalls both charts on a cluster of its own',
  'test/schema/': 'installs a fuzzer of the API and runs it',
  'test/env/web/web-away.test.ts': 'one page of the web in detail, in a browser',
  'test/env/web/web-capabilities.test.ts': 'one page of the web in detail, in a browser',
  'test/env/web/web-cluster.test.ts': 'one page of the web in detail, in a browser',
  'test/env/web/web-connections.test.ts': 'a real browser and its pages',
  'test/env/web/web-given-files.test.ts': 'one page of the web in detail, in a browser',
  'test/env/web/web-hands.test.ts': 'one page of the web in detail, in a browser',
  'test/env/web/web-manifests.test.ts': 'one page of the web in detail, in a browser',
  'test/env/web/web-memory.test.ts': 'one page of the web in detail, in a browser',
  'test/env/web/web-models.test.ts': 'one page of the web in detail, in a browser',
  'test/env/web/web-nodes.test.ts': 'one page of the web in detail, in a browser',
  'test/env/web/web-policy.test.ts': 'one page of the web in detail, in a browser',
  'test/env/web/web-program.test.ts': 'one page of the web in detail, in a browser',
  'test/env/web/web-reach.test.ts': 'one page of the web in detail, in a browser',
  'test/env/web/web-results.test.ts': 'one page of the web in detail, in a browser',
  'test/env/web/web-run-workflow.test.ts': 'one page of the web in detail, in a browser',
  'test/env/web/web-scripts.test.ts': 'one page of the web in detail, in a browser',
  'test/env/web/web-timeline.test.ts': 'one page of the web in detail, in a browser',
  'api/server/src/resource-writes/killed-writes.test.ts': 'kills replicas of the API at each step of a write',
};

/**
 * Files that mostly wait for leases, back-offs, slots and watches, and use little CPU; and files with whole residents,
 * whose agents live twenty times as fast as usual and whose leases pass in real time.
 */
const WAITING =
  /^((operator|cli\/kubectl|kube|local\/village|test\/(runtime|schedules|drift|storm|simulation|plugin))\/|api\/server\/src\/.*\/([a-z]+-residents|resident-[a-z]+|lapsed-runs)\.test)/;
/** Browser tests. Their pages give up on slow answers, so they run last, when the village has usually started. */
const BROWSING = /^test\/env\/web\b/;

export type Pool = 'computing' | 'waiting' | 'browsing';

export function poolOf(file: string): Pool {
  if (BROWSING.test(file)) return 'browsing';
  return WAITING.test(file) ? 'waiting' : 'computing';
}

/** The end-to-end tests of `make test`, by the promise that each shows. */
const JOURNEYS: Readonly<Record<string, string>> = {
  'test/e2e/lifecycle.test.ts': 'an applied Agent lives, sleeps, wakes and is deleted',
  'test/e2e/work.test.ts': 'a message becomes a command, an answer, and a line in each record',
  'test/e2e/tier.test.ts': 'a reward resizes the running container',
  'test/e2e/schedule.test.ts': 'a Schedule fires',
  'test/e2e/egress.test.ts': 'an agent asks for a host outside, reaches an allowed one, and is refused others',
  'test/e2e/standing.test.ts': 'a freeze and a kill end what runs',
};

/** True if the file is part of `make test`. */
export const isInGate = (file: string): boolean =>
  file.startsWith('test/e2e/') ? file in JOURNEYS : !Object.keys(ONLY_IN_FULL).some((name) => file.startsWith(name));

/** Seconds from which a test file needs a reason. */
export const SLOW_FROM_S = 10;
/** Why a test file takes long. */
export const SLOW_FILES: Readonly<Record<string, string>> = {
  'test/backup/point-in-time.test.ts': 'replays an archive of 50 MB, 1 GB in the full suite, in a Postgres of its own',
  'test/tutorial/tutorial.test.ts': 'runs every command of a document on a village and an API server',
  'agent-image/engine/pack/build-package.test.ts': 'compiles the engine and the adapters of models',
  'agent-image/engine/src/flow/crash.test.ts': 'a process is killed at each write of a task',
  'agent-image/engine/src/workflow/cli/perform-command.test.ts': 'processes of the command line, stopped and killed',
  'agent-image/engine/src/workflow/facade/engine.test.ts': 'engines that close and open again, each with its own data',
  'agent-image/engine/src/journal/appender.test.ts': 'thousands of synced writes, and kills between them',
  'agent-image/engine/src/journal/restore-journal.test.ts': 'thousands of synced writes, and kills between them',
  'agent-image/engine/src/journal/sqlite-journal.test.ts': 'thousands of synced writes, and kills between them',
  'agent-image/engine/src/loop/crash.test.ts': 'a process is killed at each write, with wrong clocks',
  'agent-image/engine/src/loop/engine-ends.test.ts': 'hundreds of runs, each with its ends',
  'agent-image/resident/src/agents-doc.test.ts': 'runs every command of a document',
  'agent-image/resident/src/hands/files/change-log.test.ts': 'real programs in the supervisor of the hands',
  'agent-image/resident/src/hands/tools/git.test.ts': 'real programs in the supervisor of the hands',
  'agent-image/resident/src/hands/tools/shell.test.ts': 'real programs in the supervisor of the hands',
  'agent-image/resident/src/hands/tools/wait-for.test.ts': 'real programs in the supervisor of the hands',
  'agent-image/resident/src/main.test.ts': 'whole lives of a resident process',
  'agent-image/resident/src/mcp/mcp.test.ts': 'real servers and programs, with time-outs',
  'agent-image/resident/src/net/browser.test.ts': 'a real browser and its pages',
  'agent-image/resident/src/net/web-search.test.ts': 'real servers and programs, with time-outs',
  'agent-image/resident/src/net/web.test.ts': 'real servers and programs, with time-outs',
  'agent-image/resident/src/simulation.test.ts': 'whole lives of a resident process',
  'api/broker/src/authority/keep-authority.test.ts': 'a real API server',
  'api/broker/src/broker.test.ts': 'real clients, servers and time-outs through the broker',
  'api/broker/src/reverse/reverse.test.ts': 'real clients, servers and time-outs through the broker',
  'api/server/src/agents/kubernetes.test.ts': 'a real API server',
  'api/server/src/agents/manifests/manifest-routes.test.ts': 'a real API server',
  'api/server/src/board/board-live.test.ts': 'servers that are killed, and many replicas',
  'api/server/src/channels/channels.test.ts': 'polls that wait, pauses that Telegram asks for, and a restart',
  'api/server/src/channels/slack/slack-village.test.ts': 'a socket that another replica opens after the lead has moved',
  'api/server/src/board/board-routes.test.ts': 'many requests and streams of a whole API',
  'api/server/src/board/copy-model.test.ts': 'servers that are killed, and many replicas',
  'api/server/src/board/moderation-routes.test.ts': 'many requests and streams of a whole API',
  'api/server/src/board/outage.test.ts': 'servers that are killed, and many replicas',
  'api/server/src/capabilities/skills.test.ts': 'runs every command of a document',
  'api/server/src/egress/broker-routes.test.ts': 'real clients, servers and time-outs through the broker',
  'api/server/src/egress/writes/hosts.test.ts': 'real clients, servers and time-outs through the broker',
  'api/server/src/egress/writes/writes.test.ts': 'real clients, servers and time-outs through the broker',
  'api/server/src/freeze/freeze-under-load.test.ts': 'many requests and streams of a whole API',
  'api/server/src/gateway/answer-times.test.ts': 'many requests and streams of a whole API',
  'api/server/src/gateway/resident-mind.test.ts': 'resident processes that are killed and continue',
  'api/server/src/http/pipeline/hostile.test.ts': 'every route with hostile requests',
  'api/server/src/memory/memory-residents.test.ts': 'resident processes that are killed and continue',
  'api/server/src/money/compute/paid-time.test.ts': 'money at its limits, between concurrent replicas',
  'api/server/src/money/market/auction-kills.test.ts': 'money at its limits, between concurrent replicas',
  'api/server/src/money/offers/offer-routes.test.ts': 'money at its limits, between concurrent replicas',
  'api/server/src/money/payments/webhook-torture.test.ts': 'money at its limits, between concurrent replicas',
  'api/server/src/permissions/hands/panic-residents.test.ts': 'real programs in the supervisor of the hands',
  'api/server/src/permissions/on-a-cluster.test.ts': 'a real API server',
  'api/server/src/residents/hands-watch.test.ts': 'many requests and streams of a whole API',
  'api/server/src/resource-writes/entitlement-routes.test.ts': 'a real API server',
  'api/server/src/resource-writes/killed-writes.test.ts': 'a real API server',
  'api/server/src/start/released-village.test.ts':
    'a village of an earlier release, its upgrade and a resident process',
  'api/server/src/runs/all-commands.test.ts': 'many requests and streams of a whole API',
  'api/server/src/runs/command-residents.test.ts': 'real programs in the supervisor of the hands',
  'api/server/src/runs/engine-residents.test.ts': 'resident processes that are killed and continue',
  'api/server/src/runs/workflow/sample-workflows-residents.test.ts': 'resident processes that are killed and continue',
  'api/server/src/runs/firing-routes.test.ts': 'money at its limits, between concurrent replicas',
  'api/server/src/runs/hands-residents.test.ts': 'real programs in the supervisor of the hands',
  'api/server/src/runs/lapsed-runs.test.ts': 'many requests and streams of a whole API',
  'api/server/src/runs/resident-runs.test.ts': 'resident processes that are killed and continue',
  'api/server/src/runs/run-routes.test.ts': 'many requests and streams of a whole API',
  'api/server/src/runs/workers/worker-residents.test.ts': 'resident processes that are killed and continue',
  'api/server/src/runs/workflow/workflow-residents.test.ts': 'resident processes that are killed and continue',
  'api/server/src/scripts/script-residents.test.ts': 'real programs in the supervisor of the hands',
  'api/server/src/runs/kubectl-residents.test.ts': 'a real API server, an API and kubectl',
  'api/server/src/permissions/crash.test.ts': 'a process is killed at each write, with wrong clocks',
  'api/server/src/tracing/trace-of-message.test.ts': 'the seconds between the end of a run and its trace',
  'charts/gen/presets.test.ts': 'a real API server checks every object of five sets of values',
  'test/egress/writes.test.ts': 'real clients, servers and time-outs through the broker',
  'evals/tasks.test.ts': 'solves 24 tasks with real programs',
  'evals/village.test.ts': 'a task of each kind through a whole village with hands',
  'kube/src/client/kube-client.test.ts': 'a real API server that is killed and stalls',
  'kube/src/reflector/reflector.test.ts': 'a real API server that is killed and stalls',
  'local/village/commands/up-current.test.ts': 'many requests and streams of a whole API',
  'operator/src/kinds/agent/convergence.test.ts': 'a real API server, its watches and back-offs',
  'operator/src/kinds/entitlement/pressure.test.ts': 'a real API server, its watches and back-offs',
  'operator/src/kinds/entitlement/seats.test.ts': 'a real API server, its watches and back-offs',
  'operator/src/operator-compute.test.ts': 'a real API server, its watches and back-offs',
  'operator/src/operator-money.test.ts': 'a real API server, its watches and back-offs',
  'operator/src/operator-policy.test.ts': 'a real API server, its watches and back-offs',
  'operator/src/operator-rules.test.ts': 'a real API server, its watches and back-offs',
  'operator/src/operator.test.ts': 'a real API server, its watches and back-offs',
  'test/drift/drift-audit.test.ts': 'a real API server',
  'test/e2e/egress.test.ts': 'a village on two nodes',
  'test/e2e/lifecycle.test.ts': 'a village on two nodes',
  'test/e2e/schedule.test.ts': 'a village on two nodes',
  'test/e2e/standing.test.ts': 'a village on two nodes',
  'test/e2e/tier.test.ts': 'a village on two nodes',
  'test/e2e/work.test.ts': 'a village on two nodes',
  'test/env/web.test.ts': 'a real browser and its pages',
  'test/env/web/web-access.test.ts': 'a real browser and its pages',
  'test/env/web/web-away.test.ts': 'a real browser and its pages',
  'test/env/web/web-capabilities.test.ts': 'a real browser and its pages',
  'test/env/web/web-cluster.test.ts': 'a real browser and its pages',
  'test/env/web/web-given-files.test.ts': 'a real browser and its pages',
  'test/env/web/web-hands.test.ts': 'a real browser and its pages',
  'test/env/web/web-manifests.test.ts': 'a real browser and its pages',
  'test/env/web/web-memory.test.ts': 'a real browser and its pages',
  'test/env/web/web-policy.test.ts': 'a real browser and its pages',
  'test/env/web/web-program.test.ts': 'a real browser and its pages',
  'test/env/web/web-reach.test.ts': 'a real browser and its pages',
  'test/env/web/web-results.test.ts': 'a real browser and its pages',
  'test/env/web/web-run-workflow.test.ts': 'a real browser and its pages',
  'test/env/web/web-scripts.test.ts': 'a real browser and its pages',
  'test/env/web/web-timeline.test.ts': 'a real browser and its pages',
  'test/env/web/web-viewers.test.ts': 'a real browser and its pages',
  'test/metrics/prometheus.test.ts': 'a real API server, an API, an operator and Prometheus',
  'test/plugin/plugin.test.ts': 'a real API server, an API and kubectl',
};
