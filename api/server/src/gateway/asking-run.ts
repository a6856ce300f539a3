import type { ChatCompletionBody } from '@hamlet/contract';
import { isRunOf, type Db } from '@hamlet/store';
import type { AgentActor } from '../http/actor.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import type { DeltaPublisher, DeltaSource, RunDeltas } from '../runs/run-deltas.ts';

export interface AskingRun {
  readonly runId: string;
  /** Publishes the text of the answer. Null unless the agent works on the run now. */
  readonly publisher: DeltaPublisher | null;
}

type Numbers = Pick<DeltaSource, 'ask' | 'attempt' | 'lease'>;

type Metadata = ChatCompletionBody['metadata'];

function numbersOf(metadata: Metadata): Numbers {
  const { ask, attempt, lease } = metadata ?? {};
  return { ask: ask ?? 0, attempt: attempt ?? 0, lease: lease ?? undefined };
}

/** The run that a request names, if it belongs to the agent. A run that has ended or is being cancelled is refused. */
export async function findAskingRun(
  { db, deltas }: { readonly db: Db; readonly deltas: Pick<RunDeltas, 'open'> },
  { agent, metadata }: { readonly agent: AgentActor; readonly metadata: Metadata },
): Promise<Outcome<AskingRun | null>> {
  const runId = metadata?.run_id ?? null;
  if (runId === null) return accepted(null);
  const { agentId, uid: agentUid, cycle } = agent;
  const opened = await deltas.open({ runId, agentUid, cycle, ...numbersOf(metadata) });
  if (opened.kind === 'open') return accepted({ runId, publisher: opened.publisher });
  switch (opened.reason) {
    case 'run_settled':
      return refused('run_settled', 'The run has ended or is being cancelled, so it cannot use a model');
    case 'no_such_run':
      return accepted(null);
    case 'not_running':
      return accepted((await isRunOf(db, runId, agentId)) ? { runId, publisher: null } : null);
    default:
      return opened.reason satisfies never;
  }
}
