import type { Registry } from 'prom-client';
import { createPostCallback } from '../a2a/callbacks/post-callback.ts';
import { startCallbacks } from '../a2a/callbacks/callback-job.ts';
import { startViewerHints } from '../attention/viewer-hints.ts';
import { createAuthenticate } from '../auth/authenticate.ts';
import { startChannels } from '../channels/start-channels.ts';
import type { Authenticate } from '../http/actor.ts';
import type { Handlers } from '../http/handler.ts';
import { createAddressGate } from '../http/pipeline/address-gate.ts';
import { runSocket } from '../runs/socket/run-socket.ts';
import { startRuns } from '../runs/start-runs.ts';
import { refuseDirect } from '../permissions/direct-calls.ts';
import { permissionJobs } from '../permissions/expire-permissions.ts';
import { checkCommandExamples } from '../permissions/rules/check-commands.ts';
import { createReadCommand } from '../permissions/shell/read-command.ts';
import { startJobs, type Job } from '../service/jobs.ts';
import { startNotices } from '../notices/start-notices.ts';
import { createHttpMetrics } from '../service/metrics.ts';
import type { Log } from '../service/log.ts';
import { worldSocket } from '../world/world-socket.ts';
import type { Config } from './config.ts';
import { composeHandlers } from './handlers.ts';
import { openListeners, type Listeners } from './listeners.ts';
import { openBase, type Base, type StartOptions } from './base.ts';
import { startParts, type Parts } from './parts.ts';
import { retentionJobs } from './retention.ts';
import type { RunningWorld } from './world.ts';

export interface RunningServer extends Pick<Listeners, 'peopleUrl' | 'agentsUrl' | 'metricsUrl'> {
  /** The world of this replica, for tests and benchmarks in the same process. */
  readonly world: Pick<RunningWorld, 'reader' | 'fanout' | 'state' | 'onUpdate'>;
  readonly metrics: Pick<Registry, 'getMetricsAsArray'>;
  stop(): Promise<void>;
}

interface Serving {
  readonly authenticate: Authenticate;
  readonly handlers: Handlers;
  readonly hints: ReturnType<typeof startViewerHints>;
}

function serve(base: Base, parts: Parts, { authenticate, handlers, hints }: Serving): Promise<Listeners> {
  const { config, db, registry, log, monotonicMs, tracing } = base.shared;
  const { proxyTrust: trust, requestsPerMinute, socketsPerAddress, strictAnswers } = config;
  const { world, board, hands, people, policyOf, runStreams } = parts;
  const gate = createAddressGate({ limiter: base.local, trust, requestsPerMinute, socketsPerAddress, monotonicMs });
  const { limitActor } = base.counted;
  const metrics = createHttpMetrics(registry);
  return openListeners({
    config,
    handlers,
    authenticate,
    registry,
    answerMs: parts.gateway.answerTimes.totalMs,
    sockets: {
      '/ws/world': worldSocket({ fanout: world.fanout, hands, size: world.mapAnswer }),
      '/ws/board': hints.hinting(board.socket),
      '/ws/runs': runSocket({ db, log, runStreams }),
    },
    mount: {
      db,
      log,
      monotonicMs,
      gate,
      metrics,
      strictAnswers,
      tracing,
      limitActor,
      guard: people.guard,
      authenticate,
      refuseDirect: refuseDirect({ db, policyOf }),
    },
  });
}

type Sending = { readonly handlers: Handlers; readonly options: StartOptions };

/** Starts everything that sends to people and systems outside: callbacks, messengers, mail, push. */
function startSenders(base: Base, { egress, money }: Parts, { handlers, options }: Sending) {
  const notices = startNotices({ ...base.shared, ...money.services, route: options.outwardRoute });
  const channels = startChannels({ ...base.shared, ...base.counted, bots: base.bots, handlers });
  const callbacks = startCallbacks({ ...base.shared, ...egress, post: createPostCallback(options.outwardRoute) });
  return {
    jobs: [...callbacks.jobs, ...channels.jobs, ...notices.jobs],
    stop: async () => {
      notices.stop();
      await channels.stop();
      await callbacks.stop();
    },
  };
}

const upkeepJobs = ({ db, settings, log, tracing }: Base['shared']): readonly Job[] => [
  ...retentionJobs({ db, turnDays: () => settings.values.turn_days, log }),
  ...permissionJobs({ db, log }),
  ...(tracing?.jobs ?? []),
];

export async function startServer(config: Config, log: Log, options: StartOptions = {}): Promise<RunningServer> {
  await checkCommandExamples(config.rules.rules, createReadCommand());
  const base = await openBase(config, log, options);
  const { db, link, notifications, registry, replicaId, tracing } = base.shared;
  const parts = await startParts(base, options);
  const { facts, world, board, money, gateway, people, watch, runStreams, sessions, egress, figures } = parts;
  const authenticate = createAuthenticate({ ...base.shared, reviewer: base.agents.reviewer });
  const handlers = composeHandlers(base, parts, authenticate);
  const hints = startViewerHints(base.shared);
  const listeners = await serve(base, parts, { authenticate, handlers, hints });
  const runs = startRuns({ db, notifications, hub: facts.hub, log });
  const senders = startSenders(base, parts, { handlers, options });
  const withJobs = [facts, board, money, gateway, people, runs, sessions, egress, figures, senders];
  const jobs = [...withJobs.flatMap((part) => part.jobs), ...upkeepJobs(base.shared)];
  const { redisUrl, namespace } = config;
  const { leads } = notifications;
  const stopJobs = startJobs({ redisUrl, namespace, jobs, link, registry, log, leads });
  const { peopleUrl, agentsUrl, metricsUrl } = listeners;
  log('info', 'serving', { people: peopleUrl, agents: agentsUrl, metrics: metricsUrl, replica: replicaId });
  return {
    ...listeners,
    world,
    metrics: registry,
    stop: async () => {
      hints.stop();
      await senders.stop();
      await stopJobs();
      facts.hub.closeAll();
      facts.feed.close();
      egress.stop();
      await figures.stop();
      runStreams.closeAll();
      await listeners.stop();
      await tracing?.stop();
      await parts.hands.stop();
      await board.stop();
      await world.stop();
      await runs.stop();
      sessions.stop();
      await watch.stop();
      await gateway.stop();
      people.stop();
      await money.stop();
      await facts.close();
      await notifications.close();
      await base.close();
    },
  };
}
