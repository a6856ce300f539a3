import type { StreamResponse, TaskState } from '@a2a-js/sdk';
import {
  claimCallbacks,
  endCallback,
  noteCallback,
  readDueHosts,
  readPendingOfRuns,
  type Db,
  type DueCallback,
} from '@hamlet/store';
import type { AgentSource } from '../../agents/agent-source.ts';
import { servesA2a } from '../../agents/describe-agent.ts';
import type { EgressOf } from '../../egress/egress-of.ts';
import { queuedJob, type Job } from '../../service/jobs.ts';
import type { Log } from '../../service/log.ts';
import { loadA2a } from '../a2a-library.ts';
import { OLDER_VERSION } from '../agent-card.ts';
import { isFinal, stateOfRun } from '../task-of-run.ts';
import { judgeCallback, type Callback } from './judge-callback.ts';
import { decideDelivery } from './plan-callback.ts';
import type { CallbackBody, PostCallback } from './post-callback.ts';

const EVERY_MS = 2_000;
/** Maximum number of hosts to which this replica sends at the same time. */
const HOSTS_MAX = 64;
/** Maximum number of deliveries to one host at the same time. */
const OF_HOST_MAX = 4;
/** Claims at one host in a row. Busy runs may have new events after each of them. */
const ROUNDS_MAX = 64;
/** Longer than one delivery may take. */
const CLAIM_S = 60;
const TOKEN_HEADER = 'x-a2a-notification-token';

interface CallbackPorts {
  readonly db: Db;
  readonly source: Pick<AgentSource, 'get' | 'ready'>;
  readonly egressOf: EgressOf;
  readonly log: Log;
  readonly post: PostCallback;
}

/** The body and headers for a state. It has no words and files: callers with a key read them from the task. */
async function bodyOf({ callback, run }: DueCallback, state: TaskState): Promise<CallbackBody> {
  const { server, legacy } = await loadA2a();
  const status = { state, message: undefined, timestamp: new Date().toISOString() };
  const value = { taskId: run.runId, contextId: run.sessionId ?? '', status, metadata: undefined };
  const event: StreamResponse = { payload: { $case: 'statusUpdate', value } };
  const serializer =
    callback.version === OLDER_VERSION
      ? new legacy.V03PushNotificationSerializer()
      : new server.V1PushNotificationSerializer();
  const { body, contentType } = serializer.serialize(event);
  const token = callback.token === '' ? {} : { [TOKEN_HEADER]: callback.token };
  return {
    body,
    headers: { 'content-type': contentType, 'content-length': String(Buffer.byteLength(body)), ...token },
  };
}

interface Delivering extends CallbackPorts {
  /** Aborts when the replica stops; callbacks that it holds are then sent again by another one. */
  readonly stopping: AbortSignal;
}

/** Sends a state. Returns false if the receiver did not take it. */
async function send(ports: Delivering, to: Callback, { due, state }: { due: DueCallback; state: TaskState }) {
  const { db, log, post, stopping } = ports;
  const { callback, run } = due;
  const note = { sentState: state, seenEvents: run.events, failures: 0, dueInS: 0 };
  const status = await post(to, await bodyOf(due, state), stopping).catch((error: unknown) => {
    log('debug', 'a callback got no answer', { run_id: run.runId, error });
    return null;
  });
  if (status === null && stopping.aborted) return false;
  const verdict = decideDelivery({ isOver: isFinal(state), status, failures: callback.failures });
  if (verdict.kind === 'delivered') await noteCallback(db, callback, note);
  else if (verdict.kind === 'failed') {
    const { sentState, seenEvents } = callback;
    const { failures, waitS: dueInS } = verdict;
    await noteCallback(db, callback, { sentState, seenEvents, failures, dueInS });
  } else {
    if (!verdict.delivered) log('warn', 'a callback failed for too long and ended', { run_id: run.runId, status });
    await endCallback(db, callback);
  }
  return status !== null;
}

/**
 * Checks one callback by the current rules: ends it if its agent or host is no longer open, or sends a state that its
 * receiver does not know. Returns false if the host does not answer.
 */
async function look(ports: Delivering, due: DueCallback, asking: boolean): Promise<boolean> {
  const { db, source, egressOf } = ports;
  const { callback, run } = due;
  const record = source.get(callback.agentId);
  const to =
    record !== null && servesA2a(record) ? judgeCallback(callback.url, record.spec, egressOf(callback.agentId)) : null;
  if (to === null || 'verdict' in to) {
    await endCallback(db, callback);
    return true;
  }
  const state = stateOfRun(run.state, asking);
  if (state !== callback.sentState) return send(ports, to, { due, state });
  await noteCallback(db, callback, { sentState: state, seenEvents: run.events, failures: 0, dueInS: 0 });
  return true;
}

/** Sends the due callbacks of a host until none is left or the host does not answer. */
async function serveHost(ports: Delivering, host: string): Promise<void> {
  const { db, stopping } = ports;
  for (let round = 0; round < ROUNDS_MAX && !stopping.aborted; round += 1) {
    const due = await claimCallbacks(db, { host, limit: OF_HOST_MAX, forS: CLAIM_S });
    if (due.length === 0) return;
    const pending = await readPendingOfRuns(
      db,
      due.map(({ run }) => run.runId),
    );
    const looks = await Promise.all(due.map((each) => look(ports, each, pending.has(each.run.runId))));
    if (!looks.every(Boolean)) return;
  }
}

/** Sends callbacks, each host apart from the others, so that a slow one delays only its own. Stateful. */
export function createCallbackSender(ports: CallbackPorts) {
  const stop = new AbortController();
  const serving = new Map<string, Promise<void>>();
  const delivering = { ...ports, stopping: stop.signal };

  function serve(host: string): void {
    const served = serveHost(delivering, host)
      .catch((error: unknown) => ports.log('warn', 'callbacks to a host wait', { host, error }))
      .finally(() => serving.delete(host));
    serving.set(host, served);
  }

  const idle = async (): Promise<void> => void (await Promise.all(serving.values()));
  return {
    /**
     * Begins to serve the hosts with due callbacks; does not wait for them. While the agents are not known, as after a start without
     * Kubernetes, it serves none, because all callbacks would look closed.
     */
    step: async (): Promise<void> => {
      const limit = HOSTS_MAX - serving.size;
      if (!ports.source.ready || limit === 0) return;
      const hosts = await readDueHosts(ports.db, { except: [...serving.keys()], limit });
      for (const host of hosts) serve(host);
    },
    /** Resolves once no host is served. */
    idle,
    stop: async (): Promise<void> => {
      stop.abort();
      await idle();
    },
  };
}

export function startCallbacks(ports: CallbackPorts): {
  readonly jobs: readonly Job[];
  readonly stop: () => Promise<void>;
} {
  const { step, stop } = createCallbackSender(ports);
  return { jobs: [queuedJob({ name: 'a2a-callbacks', everyMs: EVERY_MS, run: step })], stop };
}
