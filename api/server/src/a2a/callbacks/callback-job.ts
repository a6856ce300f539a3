import type { StreamResponse, TaskState } from '@a2a-js/sdk';
import { claimCallbacks, endCallback, noteCallback, readPendingOfRuns, type Db, type DueCallback } from '@hamlet/store';
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
import { postCallback, type CallbackBody, type PostCallback } from './post-callback.ts';

const EVERY_MS = 2_000;
const AT_ONCE = 20;
/** Longer than one delivery may take. */
const CLAIM_S = 60;
const TOKEN_HEADER = 'x-a2a-notification-token';

interface CallbackPorts {
  readonly db: Db;
  readonly source: Pick<AgentSource, 'get' | 'ready'>;
  readonly egressOf: EgressOf;
  readonly log: Log;
  readonly post?: PostCallback;
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

async function deliver(ports: CallbackPorts, to: Callback, due: DueCallback): Promise<void> {
  const { db, log, post = postCallback } = ports;
  const { callback, run } = due;
  const asking = (await readPendingOfRuns(db, [run.runId])).length > 0;
  const state = stateOfRun(run.state, asking);
  const note = { sentState: state, seenEvents: run.events, failures: 0, dueInS: 0 };
  if (state === callback.sentState) return noteCallback(db, callback, note);
  const status = await post(to, await bodyOf(due, state)).catch((error: unknown) => {
    log('debug', 'a callback got no answer', { run_id: run.runId, error });
    return null;
  });
  const verdict = decideDelivery({ isOver: isFinal(state), status, failures: callback.failures });
  if (verdict.kind === 'delivered') return noteCallback(db, callback, note);
  if (verdict.kind === 'failed') {
    const { sentState, seenEvents } = callback;
    const { failures, waitS: dueInS } = verdict;
    return noteCallback(db, callback, { sentState, seenEvents, failures, dueInS });
  }
  if (!verdict.delivered) log('warn', 'a callback failed for too long and ended', { run_id: run.runId, status });
  await endCallback(db, callback);
}

/** Delivers one callback by the rules of now. Ends one whose agent or host is not open any more. */
async function look(ports: CallbackPorts, due: DueCallback): Promise<void> {
  const { callback } = due;
  const record = ports.source.get(callback.agentId);
  const to =
    record !== null && servesA2a(record)
      ? judgeCallback(callback.url, record.spec, ports.egressOf(callback.agentId))
      : null;
  if (to === null || 'verdict' in to) return endCallback(ports.db, callback);
  await deliver(ports, to, due);
}

/**
 * Sends the callbacks of tasks that have changed, each until its receiver has the last state. While the agents are not known, as after a
 * start without Kubernetes, all of them would look closed.
 */
export async function sendCallbacks(ports: CallbackPorts): Promise<void> {
  if (!ports.source.ready) return;
  const due = await claimCallbacks(ports.db, { limit: AT_ONCE, forS: CLAIM_S });
  await Promise.all(due.map((each) => look(ports, each)));
}

export const callbackJob = (ports: CallbackPorts): Job =>
  queuedJob({ name: 'a2a-callbacks', everyMs: EVERY_MS, run: () => sendCallbacks(ports) });
