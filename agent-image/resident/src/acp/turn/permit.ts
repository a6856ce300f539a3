import { setTimeout as delay } from 'node:timers/promises';
import type { CallContext } from '@hamlet/engine';
import type { RunBook } from '../../engine/run-book.ts';
import type { CallLog } from '../../hands/hands-tool.ts';
import { retry, type RetryPorts } from '../../village/retry.ts';
import type { WorkVillage } from '../../village/work-village.ts';
import type { VillageCall } from './village-call.ts';

const ASK_AGAIN_MS = 1_000;
const REFUSED: Decision = { isAllowed: false, words: '' };

export interface PermitPorts extends RetryPorts {
  readonly calls: Pick<CallLog, 'begin' | 'end'>;
  readonly work: Pick<WorkVillage, 'askPermission'>;
  readonly book: Pick<RunBook, 'find'>;
}

/** A call inside the call of a program. `context.call` is its own id. */
export interface InnerCall extends VillageCall {
  readonly context: CallContext;
  /** Identifies the present start of the hands. */
  readonly boot: string;
}

/** `words`: those of the person who decided; empty if the rules did. */
export interface Decision {
  readonly isAllowed: boolean;
  readonly words: string;
}

/**
 * The decision of the village's rules, or of a person whom they ask. If a call is allowed, the API has stored its start. While a person
 * is asked, the run stays in progress. Rejects when the signal aborts.
 */
export async function permit(ports: PermitPorts, { tool, input, context, boot }: InnerCall): Promise<Decision> {
  const args = JSON.stringify(input);
  const begin = async (): Promise<string> =>
    (await ports.calls.begin({ ...context, args }, { tool, args, boot, repeats: false })).kind;
  const first = await begin();
  if (first !== 'needs_permission') return { isAllowed: first === 'begun', words: '' };
  const answer = await answerOfPerson(ports, { tool, args, context });
  return { ...answer, isAllowed: answer.isAllowed && (await begin()) === 'begun' };
}

interface Question extends Pick<InnerCall, 'tool' | 'context'> {
  readonly args: string;
}

/** Asks people, and waits for their answer. The same request returns the same permission, with its answer. */
async function answerOfPerson(ports: PermitPorts, { tool, args, context }: Question): Promise<Decision> {
  const { run, call, signal } = context;
  const asked = { call_id: call, request: `${run}/${call}/1`, tool, arguments: args, why: 'policy' as const };
  for (;;) {
    const booked = ports.book.find(run);
    if (booked === undefined) return REFUSED;
    const answer = await retry(() => ports.work.askPermission(run, booked.lease, asked), signal, ports);
    if (answer.kind === 'refused') return REFUSED;
    const { state, reply } = answer.value;
    if (state !== 'pending') return { isAllowed: state === 'allowed', words: reply?.trim() ?? '' };
    await delay(ASK_AGAIN_MS, undefined, { signal });
  }
}
