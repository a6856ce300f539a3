import { storableText } from '@hamlet/contract/resident';
import { RunFailure, withoutMiddle, type CallContext } from '@hamlet/engine';
import type { Serving } from '../program-link.ts';
import { permit, type PermitPorts } from './permit.ts';
import type { EndedCall, ProgramTurn, Taken } from './program-turn.ts';
import type { TreeFiles } from './tree-files.ts';
import type { PermissionRequest } from './updates.ts';
import { optionFor, villageCallOf, type VillageCall } from './village-call.ts';

/** Maximum characters of the title of a request in front of a person's words about it. */
const TITLE_MAX_CHARS = 200;
/** Maximum characters of a content that people read before they allow it; the API takes 65,536 of all arguments. */
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
  /**
   * The prompt with what people wrote when they decided since the last one; null if they wrote nothing. The protocol's answer to a
   * request has no room for words.
   */
  nextPrompt(): string | null;
  /** Ends the calls that the program left open. */
  finish(): Promise<void>;
}

/** Answers a program during one turn: shows its words, journals its claims, and lets the village decide about its requests. */
export function serveTurn(parts: TurnParts): ServedTurn {
  const { turn, context, ports, files } = parts;
  const ending: Promise<unknown>[] = [];
  const said: string[] = [];
  const decide = async (id: string, call: VillageCall, title: string): Promise<boolean> => {
    // Words before a call are stored before it.
    for (const note of turn.sayings()) context.note(note);
    const inner = { ...context, call: `${context.call}.${id}` };
    const { isAllowed, words } = await permit(ports, { ...call, context: inner, boot: parts.boot });
    if (words !== '') said.push(wordsOf({ title, isAllowed, words }));
    return isAllowed;
  };
  const onFile = async (call: FileCall, use: () => Promise<string>): Promise<string> => {
    const { tool, input } = call;
    const id = turn.idOfFile(tool);
    if (id === null)
      throw new RunFailure('refused', 'This turn has used too many files: use further ones in your own way.');
    if (!(await decide(id, call, `${tool} ${input.path}`)))
      throw new RunFailure('refused', 'The village refused this use of a file.');
    try {
      const output = await use();
      ending.push(storeEnd(ports, context, { id, isDone: true, output }));
      return output;
    } catch (error) {
      ending.push(storeEnd(ports, context, { id, isDone: false, output: String(error) }));
      throw error;
    }
  };
  const show = ({ words, notes, ends }: Taken): void => {
    if (words !== '') context.output(words);
    for (const note of notes) context.note(note);
    for (const end of ends) ending.push(storeEnd(ports, context, end));
  };
  return {
    onUpdate: (update) => show(turn.take(update)),
    onPermission: (request) => unlessAborted(context.signal, () => answer(parts, decide, request)),
    onRead: ({ path, line, limit }) => {
      const lines = { first: line ?? 1, limit: limit ?? null };
      return onFile({ tool: 'read_file', input: { path } }, () => files.read(path, lines));
    },
    onWrite: async ({ path, content }) => {
      const input = { path, content: storableText(withoutMiddle(content, CONTENT_MAX_CHARS)) };
      await onFile({ tool: 'write_file', input }, async () => {
        await files.write(path, content);
        return '';
      });
    },
    nextPrompt: () => {
      if (said.length === 0) return null;
      turn.promptAgain();
      return said.splice(0).join('\n\n');
    },
    finish: async () => {
      show(turn.finish());
      await Promise.allSettled(ending);
    },
  };
}

type FileCall = VillageCall & Readonly<{ tool: 'read_file' | 'write_file'; input: Readonly<{ path: string }> }>;
type Decide = (id: string, call: VillageCall, title: string) => Promise<boolean>;

/** The program's option for the decision of the village; null if it offers none. */
async function answer(
  { turn, workspace, cwd }: TurnParts,
  decide: Decide,
  { toolCall, options }: PermissionRequest,
): Promise<string | null> {
  const asked = turn.asked(toolCall);
  if (asked === null) return optionFor(false, options);
  const call = villageCallOf({ call: asked.call, workspace, cwd });
  const isAllowed = await decide(asked.id, call, asked.call.title || asked.call.kind);
  if (isAllowed) turn.witness(toolCall.toolCallId, asked.id);
  return optionFor(isAllowed, options);
}

/** The words of a person about a request, for the program. Pure. */
const wordsOf = ({ title, isAllowed, words }: Readonly<{ title: string; isAllowed: boolean; words: string }>): string =>
  `A person ${isAllowed ? 'allowed' : 'refused'} your request (${withoutMiddle(title, TITLE_MAX_CHARS)}) and wrote to you:\n${words}`;

/** The decision; null if the run is stopped before it. */
async function unlessAborted(signal: AbortSignal, decide: () => Promise<string | null>): Promise<string | null> {
  try {
    return await decide();
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

function storeEnd({ calls }: PermitPorts, context: CallContext, { id, isDone, output }: EndedCall): Promise<unknown> {
  const outcome = isDone
    ? { kind: 'ok' as const, text: output }
    : { kind: 'failed' as const, code: 'program_failed', text: output };
  const report = output === '' ? {} : { stdout: output };
  return calls.end({ ...context, call: `${context.call}.${id}` }, { outcome, report });
}
