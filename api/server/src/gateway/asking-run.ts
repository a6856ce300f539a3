import type { ChatCompletionBody } from '@hamlet/contract';
import { readRunLeft, type Db, type RunLeft } from '@hamlet/store';
import type { AgentActor } from '../http/actor.ts';
import { accepted, refused, type Outcome, type Refused } from '../http/outcome.ts';
import type { DeltaPublisher, DeltaSource, RunDeltas } from '../runs/run-deltas.ts';

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

const ENDING = 'The run has ended or is being cancelled, so it cannot use a model';

/**
 * The run whose budgets a request uses: the run that it names, if that belongs to the agent; otherwise a run of the agent in
 * progress, so that a pod cannot avoid its budgets by naming no run. Refuses a run that has ended, is being cancelled,
 * or has used its budgets. Null if the agent has no run in progress.
 */
export async function findAskingRun(
  { db, deltas }: Ports,
  { agent, metadata }: { readonly agent: AgentActor; readonly metadata: Metadata },
): Promise<Outcome<AskingRun | null>> {
  const { agentId, uid: agentUid, cycle } = agent;
  const named = await openNamed(deltas, { agentUid, cycle, metadata });
  if ('reason' in named) return named;
  let kept: DeltaPublisher | null = null;
  try {
    const counted = await readRunLeft(db, { agentId, agentUid, runId: named.runId });
    if (counted === null) return accepted(null);
    const refusal = refusalOf(counted);
    if (refusal !== null) return refusal;
    kept = counted.runId === named.runId ? named.publisher : null;
    return accepted({ runId: counted.runId, publisher: kept ?? (await watchedOnly(deltas, counted, agent)) });
  } finally {
    if (kept === null) named.publisher?.close();
  }
}

/** Ends the answer when its run ends. Publishes no text, because the request names no run or another attempt. */
async function watchedOnly(
  deltas: Ports['deltas'],
  { runId }: RunLeft,
  { uid: agentUid, cycle }: AgentActor,
): Promise<DeltaPublisher | null> {
  const opened = await deltas.open({ runId, agentUid, cycle, ask: 0, attempt: 0 });
  return opened.kind === 'open' ? { ...opened.publisher, publish: () => undefined } : null;
}

/** The run that a request names, if it is one of the agent's life; refuses one that has ended. */
async function openNamed(
  deltas: Ports['deltas'],
  { metadata, ...life }: Pick<DeltaSource, 'agentUid' | 'cycle'> & { readonly metadata: Metadata },
): Promise<{ readonly runId: string | null; readonly publisher: DeltaPublisher | null } | Refused> {
  const runId = metadata?.run_id ?? null;
  if (runId === null) return { runId, publisher: null };
  const opened = await deltas.open({ runId, ...life, ...numbersOf(metadata) });
  if (opened.kind === 'open') return { runId, publisher: opened.publisher };
  if (opened.reason === 'run_settled') return refused('run_settled', ENDING);
  return { runId: opened.reason === 'not_running' ? runId : null, publisher: null };
}

function refusalOf({ isEnding, left }: RunLeft): Refused | null {
  if (isEnding) return refused('run_settled', ENDING);
  if (left === null) return null;
  const spent = Object.entries({ steps: left.steps, tokens: left.tokens, money: left.costMicros })
    .filter(([, rest]) => rest <= 0)
    .map(([name]) => name);
  return spent.length === 0
    ? null
    : refused('run_budget_spent', `The run has used its budget of ${spent.join(', ')}: end it with what it has found`);
}
