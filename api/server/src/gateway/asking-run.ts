import type { IncomingHttpHeaders } from 'node:http';
import { RUN_OF_REQUEST_HEADER, type ChatCompletionBody } from '@hamlet/contract';
import { lockBudgets, readRunLeft, type BudgetsLeft, type Db, type RunLeft, type Tx } from '@hamlet/store';
import type { AgentActor } from '../http/actor.ts';
import { accepted, refused, type Outcome, type Refused } from '../http/outcome.ts';
import type { DeltaPublisher, DeltaSource, OpenedDeltas, RunDeltas } from '../runs/run-deltas.ts';

export interface AskingRun {
  readonly runId: string;
  /** Publishes the text of the answer. Null unless the agent works on the run now. */
  readonly publisher: DeltaPublisher | null;
  /** True for a request of a program of the run. */
  readonly isProgram: boolean;
}

/** The run of a program that uses models at the door of its pod. */
interface ProgramRun {
  readonly runId: string;
  /** The attempt of the run that started the program. */
  readonly lease: number;
}

/** A run and its lease, as the door of the pod writes them. */
const RUN_OF_PROGRAM = /^([0-9a-f-]{36})\/(\d{1,9})$/;

/** The program's run that the headers name; null for a request of the agent itself. */
export function programRunIn(headers: IncomingHttpHeaders): Outcome<ProgramRun | null> {
  const text = headers[RUN_OF_REQUEST_HEADER];
  if (text === undefined) return accepted(null);
  const [, runId, lease] = RUN_OF_PROGRAM.exec(String(text)) ?? [];
  return runId === undefined ? refused('no_such_run', UNKNOWN) : accepted({ runId, lease: Number(lease) });
}

interface Ports {
  readonly db: Db;
  readonly deltas: Pick<RunDeltas, 'open'>;
}

type Metadata = ChatCompletionBody['metadata'];

/** The run that a request names: a program's in a header, the agent's own in the metadata. */
interface NamedRun {
  readonly agent: AgentActor;
  readonly metadata: Metadata;
  readonly program: ProgramRun | null;
}

function sourceOf({ agent: { uid: agentUid, cycle }, metadata, program }: NamedRun): DeltaSource | null {
  const { run_id: named, ask, attempt, lease } = metadata ?? {};
  if (program !== null) return { ...program, agentUid, cycle, ask: 0, attempt: 0 };
  if (named === undefined || named === null) return null;
  return { runId: named, agentUid, cycle, ask: ask ?? 0, attempt: attempt ?? 0, lease: lease ?? undefined };
}

const UNKNOWN = 'No run of this agent has the id in metadata.run_id: send that of a run of its own, or none';
const ENDING = 'The run has ended or is being cancelled, so it cannot use a model';
const LEFT = 'The attempt of the run that started this program is over, so the program cannot use a model';

/**
 * The run whose budgets a request uses: the run that it names, otherwise a run of the agent in progress, so that a pod
 * cannot avoid its budgets by naming no run. Refuses a run that is not the agent's, has ended, is being cancelled, or has
 * used its budgets. Null if the agent has no run in progress.
 */
export async function findAskingRun({ db, deltas }: Ports, asking: NamedRun): Promise<Outcome<AskingRun | null>> {
  const found = await openAndCount({ db, deltas }, asking);
  const publisher = publisherOf(found.named);
  const isProgram = asking.program !== null;
  let isKept = false;
  try {
    const refusal = refusalOfNamed(found.named, isProgram) ?? refusalOf(found, isProgram);
    if (refusal !== null || found.counted === null) return refusal ?? accepted(null);
    const { runId } = found.counted;
    isKept = publisher !== null && runId === found.runId;
    return accepted({
      runId,
      isProgram,
      publisher: isKept ? publisher : await watchedOnly(deltas, runId, asking.agent),
    });
  } finally {
    if (!isKept) publisher?.close();
  }
}

interface Found {
  readonly named: OpenedDeltas | null;
  readonly counted: RunLeft | null;
  readonly runId: string | null;
}

/** The two reads are independent, so they run at once: each takes a round trip before the request to the model. */
async function openAndCount({ db, deltas }: Ports, asking: NamedRun): Promise<Found> {
  const source = sourceOf(asking);
  const runId = source?.runId ?? null;
  const { agentId, uid: agentUid } = asking.agent;
  const [opened, counted] = await Promise.allSettled([
    source === null ? null : deltas.open(source),
    readRunLeft(db, { agentId, agentUid, runId }),
  ]);
  if (opened.status === 'rejected') throw opened.reason;
  // People do not read the answers to a program: its own words follow on its standard output.
  const named = asking.program === null ? opened.value : silenced(opened.value);
  if (counted.status === 'fulfilled') return { named, counted: counted.value, runId };
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
  return opened.kind === 'open' ? silent(opened.publisher) : null;
}

const silenced = (opened: OpenedDeltas | null): OpenedDeltas | null =>
  opened?.kind === 'open' ? { ...opened, publisher: silent(opened.publisher) } : opened;

const silent = (publisher: DeltaPublisher): DeltaPublisher => ({ ...publisher, publish: () => undefined });

/** Refuses a named run that has ended, one that is not of the agent's life, and a program of an earlier attempt. */
function refusalOfNamed(named: OpenedDeltas | null, isProgram: boolean): Refused | null {
  if (named === null || named.kind === 'open') return null;
  if (named.reason === 'not_running') return isProgram ? refused('run_settled', LEFT) : null;
  return named.reason === 'run_settled' ? refused('run_settled', ENDING) : refused('no_such_run', UNKNOWN);
}

function refusalOf({ counted, runId }: Pick<Found, 'counted' | 'runId'>, isProgram: boolean): Refused | null {
  if (counted === null) return runId === null ? null : refused('no_such_run', UNKNOWN);
  const { isEnding, left } = counted;
  if (isEnding) return refused('run_settled', ENDING);
  return left === null ? null : refusalOfSpent(left, isProgram);
}

/** The tokens that requests in progress reserve count for the agent alone; a program waits for them. */
function refusalOfSpent(left: BudgetsLeft, isProgram: boolean): Refused | null {
  const tokens = isProgram ? left.unspentTokens : left.tokens;
  const spent = Object.entries({ steps: left.steps, tokens, money: left.costMicros })
    .filter(([, rest]) => rest <= 0)
    .map(([name]) => name);
  return spent.length === 0
    ? null
    : refused('run_budget_spent', `The run has used its budget of ${spent.join(', ')}: end it with what it has found`);
}

/**
 * Reads what a program's run has left, under the lock of its budgets. Null for a run without budgets; refused if the run has ended or
 * used them since the request came.
 */
export async function budgetsForProgram(
  tx: Tx,
  { agentId, uid: agentUid }: AgentActor,
  runId: string,
): Promise<Outcome<BudgetsLeft | null>> {
  await lockBudgets(tx, runId);
  const counted = await readRunLeft(tx, { agentId, agentUid, runId });
  if (counted !== null && counted.runId !== runId) return refused('run_settled', LEFT);
  return refusalOf({ counted, runId }, true) ?? accepted(counted?.left ?? null);
}
