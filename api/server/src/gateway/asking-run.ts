import type { ChatCompletionBody } from '@hamlet/contract';
import { readRunLeft, type Db, type RunLeft } from '@hamlet/store';
import type { AgentActor } from '../http/actor.ts';
import { accepted, refused, type Outcome, type Refused } from '../http/outcome.ts';
import type { DeltaPublisher, DeltaSource, OpenedDeltas, RunDeltas } from '../runs/run-deltas.ts';

export interface AskingRun {
  readonly runId: string;
  /** Publishes the text of the answer. Null unless the agent works on the run now. */
  readonly publisher: DeltaPublisher | null;
}

interface Ports {
  readonly db: Db;
  readonly deltas: Pick<RunDeltas, 'open'>;
}

type Numbers = Pick<DeltaSource, 'ask' | 'attempt' | 'lease'>;

type Metadata = ChatCompletionBody['metadata'];

function numbersOf(metadata: Metadata): Numbers {
  const { ask, attempt, lease } = metadata ?? {};
  return { ask: ask ?? 0, attempt: attempt ?? 0, lease: lease ?? undefined };
}

const UNKNOWN = 'No run of this agent has the id in metadata.run_id: send that of a run of its own, or none';
const ENDING = 'The run has ended or is being cancelled, so it cannot use a model';

/**
 * The run whose budgets a request uses: the run that it names, otherwise a run of the agent in progress, so that a pod
 * cannot avoid its budgets by naming no run. Refuses a run that is not the agent's, has ended, is being cancelled, or has
 * used its budgets. Null if the agent has no run in progress.
 */
export async function findAskingRun(
  { db, deltas }: Ports,
  { agent, metadata }: { readonly agent: AgentActor; readonly metadata: Metadata },
): Promise<Outcome<AskingRun | null>> {
  const found = await openAndCount({ db, deltas }, { agent, metadata });
  const publisher = publisherOf(found.named);
  let isKept = false;
  try {
    const refusal = refusalOfNamed(found.named) ?? refusalOf(found);
    if (refusal !== null || found.counted === null) return refusal ?? accepted(null);
    const { runId } = found.counted;
    isKept = publisher !== null && runId === found.runId;
    return accepted({ runId, publisher: isKept ? publisher : await watchedOnly(deltas, runId, agent) });
  } finally {
    if (!isKept) publisher?.close();
  }
}

interface Found {
  readonly named: OpenedDeltas | null;
  readonly counted: RunLeft | null;
  readonly runId: string | null;
}

/** Neither read needs the other, and each takes a round trip before the model is asked. */
async function openAndCount(
  { db, deltas }: Ports,
  { agent, metadata }: { readonly agent: AgentActor; readonly metadata: Metadata },
): Promise<Found> {
  const runId = metadata?.run_id ?? null;
  const { agentId, uid: agentUid, cycle } = agent;
  const [opened, counted] = await Promise.allSettled([
    runId === null ? null : deltas.open({ runId, agentUid, cycle, ...numbersOf(metadata) }),
    readRunLeft(db, { agentId, agentUid, runId }),
  ]);
  if (opened.status === 'rejected') throw opened.reason;
  if (counted.status === 'fulfilled') return { named: opened.value, counted: counted.value, runId };
  publisherOf(opened.value)?.close();
  throw counted.reason;
}

const publisherOf = (opened: OpenedDeltas | null): DeltaPublisher | null =>
  opened?.kind === 'open' ? opened.publisher : null;

/** Ends the answer when its run ends. Publishes no text, because the request names no run or another attempt. */
async function watchedOnly(
  deltas: Ports['deltas'],
  runId: string,
  { uid: agentUid, cycle }: AgentActor,
): Promise<DeltaPublisher | null> {
  const opened = await deltas.open({ runId, agentUid, cycle, ask: 0, attempt: 0 });
  return opened.kind === 'open' ? { ...opened.publisher, publish: () => undefined } : null;
}

/** Refuses a named run that has ended, and one that is not of the agent's life. */
function refusalOfNamed(named: OpenedDeltas | null): Refused | null {
  if (named === null || named.kind === 'open' || named.reason === 'not_running') return null;
  return named.reason === 'run_settled' ? refused('run_settled', ENDING) : refused('no_such_run', UNKNOWN);
}

function refusalOf({ counted, runId }: Found): Refused | null {
  if (counted === null) return runId === null ? null : refused('no_such_run', UNKNOWN);
  const { isEnding, left } = counted;
  if (isEnding) return refused('run_settled', ENDING);
  if (left === null) return null;
  const spent = Object.entries({ steps: left.steps, tokens: left.tokens, money: left.costMicros })
    .filter(([, rest]) => rest <= 0)
    .map(([name]) => name);
  return spent.length === 0
    ? null
    : refused('run_budget_spent', `The run has used its budget of ${spent.join(', ')}: end it with what it has found`);
}
