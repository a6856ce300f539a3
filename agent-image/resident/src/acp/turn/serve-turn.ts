import { RunFailure, withoutMiddle, type CallContext } from '@hamlet/engine';
import type { Serving } from '../program-link.ts';
import { storableText } from '../../village/storable-text.ts';
import { permit, type PermitPorts } from './permit.ts';
import type { EndedCall, ProgramTurn, Taken } from './program-turn.ts';
import type { TreeFiles } from './tree-files.ts';
import type { PermissionRequest } from './updates.ts';
import { optionFor, villageCallOf } from './village-call.ts';

/** Characters of a content that people read before they allow it; the API takes 65,536 of all arguments. */
const CONTENT_MAX_CHARS = 24_000;

export interface TurnParts {
  readonly turn: ProgramTurn;
  readonly context: CallContext;
  readonly ports: PermitPorts;
  readonly files: TreeFiles;
  readonly workspace: string;
  readonly cwd: string;
  /** Identifies the present start of the hands. */
  readonly boot: string;
}

export interface ServedTurn extends Serving {
  /** Ends the calls that the program left open. */
  finish(): Promise<void>;
}

/** Answers a program during one turn: shows its words, journals its claims, and lets the village decide about its requests. */
export function serveTurn(parts: TurnParts): ServedTurn {
  const { turn, context, ports, files } = parts;
  const ending: Promise<unknown>[] = [];
  const show = ({ words, notes, ends }: Taken): void => {
    if (words !== '') context.output(words);
    for (const note of notes) context.note(note);
    for (const end of ends) ending.push(storeEnd(ports, context, end));
  };
  return {
    onUpdate: (update) => show(turn.take(update)),
    onPermission: (request) => unlessAborted(context.signal, () => answer(parts, request)),
    onRead: ({ path, line, limit }) => files.read(path, { first: line ?? 1, limit: limit ?? null }),
    onWrite: async ({ path, content }) => {
      const id = turn.idOfWrite();
      if (id === null)
        throw new RunFailure('refused', 'This turn has changed too many files: change further ones in your own way.');
      const input = { path, content: storableText(withoutMiddle(content, CONTENT_MAX_CHARS)) };
      const inner = { ...context, call: `${context.call}.${id}` };
      if (!(await permit(ports, { tool: 'write_file', input, context: inner, boot: parts.boot })))
        throw new RunFailure('refused', 'The village refused this change of a file.');
      const fault = await files.write(path, content).then(
        () => null,
        (error: unknown) => error,
      );
      const isDone = fault === null;
      ending.push(storeEnd(ports, context, { id, isDone, output: isDone ? '' : String(fault) }));
      if (!isDone) throw fault;
    },
    finish: async () => {
      show(turn.finish());
      await Promise.allSettled(ending);
    },
  };
}

/** The program's option for the decision of the village; null if it offers none. */
async function answer(
  { turn, context, ports, workspace, cwd, boot }: TurnParts,
  { toolCall, options }: PermissionRequest,
): Promise<string | null> {
  const asked = turn.asked(toolCall);
  if (asked === null) return optionFor(false, options);
  const call = villageCallOf({ call: asked.call, workspace, cwd });
  const inner = { ...context, call: `${context.call}.${asked.id}` };
  const isAllowed = await permit(ports, { ...call, context: inner, boot });
  if (isAllowed) turn.witness(toolCall.toolCallId, asked.id);
  return optionFor(isAllowed, options);
}

/** The decision; null if the run is stopped before it. */
async function unlessAborted(signal: AbortSignal, decide: () => Promise<string | null>): Promise<string | null> {
  try {
    return await decide();
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

/** Stores the end of a call as the program claims it. */
function storeEnd({ calls }: PermitPorts, context: CallContext, { id, isDone, output }: EndedCall): Promise<unknown> {
  const outcome = isDone
    ? { kind: 'ok' as const, text: output }
    : { kind: 'failed' as const, code: 'program_failed', text: output };
  const report = output === '' ? {} : { stdout: output };
  return calls.end({ ...context, call: `${context.call}.${id}` }, { outcome, report });
}
