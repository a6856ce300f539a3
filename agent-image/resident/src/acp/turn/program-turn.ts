import { PROGRAM_CLAIMS_MAX, PROGRAM_TOOL_PREFIX, PROGRAM_WORDS, storableText } from '@hamlet/contract/resident';
import { withoutMiddle, type ProgramNote } from '@hamlet/engine';
import { claimOfCall, claimOfPlan, claimOfWords, rawText, textIn, textOfContent, type ProgramCall } from './claim.ts';
import type { SessionUpdate, ToolCallUpdate } from './updates.ts';

/** Maximum calls of one turn that are shown; later ones run without claims. */
const CALLS_MAX = PROGRAM_CLAIMS_MAX / 4;
/** Maximum number of requests for permissions in one turn; further ones are refused. */
const ASKS_MAX = CALLS_MAX;
/**
 * Maximum number of files that one turn reads, and files that it writes, through the village; further ones are refused,
 * because the API stores each.
 */
const FILES_MAX = CALLS_MAX;
/** Maximum number of plans that are noted. */
const PLANS_MAX = 100;
/** Maximum number of parts of the words that are noted before a call; later words are only in the answer. */
const SAYS_MAX = 200;
/** Characters of the first and of the last part of an answer that are kept. */
const HALF_ANSWER_CHARS = 100_000;
const THOUGHTS_MAX_CHARS = 30_000;
/** Maximum characters of words that are shown while the program writes. */
const SHOWN_MAX_CHARS = 1_000_000;
/** Characters of a file before and after a change that are compared: all lines of a huge one would take a gigabyte. */
const COMPARED_CHARS = 200_000;
/** Texts of a call that are kept for its claim. */
const KEPT_CHARS = 40_000;

/** The parts of an update that people read. `ends`: ended calls whose start the API has stored. */
export interface Taken {
  readonly words: string;
  readonly notes: readonly ProgramNote[];
  readonly ends: readonly EndedCall[];
}

export interface EndedCall {
  readonly id: string;
  readonly isDone: boolean;
  readonly output: string;
}

interface FollowedCall {
  readonly id: string;
  readonly call: ProgramCall;
  readonly phase: 'announced' | 'begun' | 'ended';
  /** How often the program has asked about it. */
  readonly asks: number;
  /** Ids of the requests whose start the API stored; the program's claim about them is dropped. */
  readonly witnessed: readonly string[];
}

const NOTHING: Taken = { words: '', notes: [], ends: [] };
const UNNAMED: ProgramCall = {
  kind: 'other',
  title: '',
  input: '',
  raw: null,
  output: '',
  locations: [],
  diffs: [],
};

/**
 * One turn of a program: makes words and claims from its updates, within limits. Uses no I/O and no clock. Mutable,
 * because a turn may have thousands of updates.
 */
export class ProgramTurn {
  readonly #calls = new Map<string, FollowedCall>();
  readonly #answer = new Answer();
  #thoughts = '';
  #shown = 0;
  #plans = 0;
  readonly #files = { read_file: 0, write_file: 0 };
  #asks = 0;
  #says = 0;
  /** The words since the last note of words. */
  #unsaid = new Answer();
  #lastPlan = '';
  #lastMessage: string | null = null;
  #isBroken = false;
  /** Distinguishes the calls of a repeated prompt. */
  readonly #prefix: string;

  /** @param opening words of the village before those of the program */
  constructor(attempt: number, opening = '') {
    this.#prefix = attempt === 1 ? '' : `${attempt}.`;
    if (opening !== '') this.#unsaid.add(`${opening}\n\n`);
  }

  /** The answer so far: its beginning and its end, if it is long. */
  get answer(): string {
    return this.#answer.text;
  }

  get thoughts(): string {
    return this.#thoughts;
  }

  take(update: SessionUpdate): Taken {
    const taken = this.#taken(update);
    return taken.notes.length === 0 ? taken : { ...taken, notes: [...this.sayings(), ...taken.notes] };
  }

  /** The note of the words before what comes now; empty without words. */
  sayings(): readonly ProgramNote[] {
    const words = this.#unsaid.text.trim();
    this.#unsaid = new Answer();
    if (words === '' || this.#says >= SAYS_MAX) return [];
    this.#says += 1;
    const id = `${this.#prefix}s${this.#says}`;
    return [{ id, tool: PROGRAM_WORDS, outcome: 'ok', claim: claimOfWords(words) }];
  }

  #taken(update: SessionUpdate): Taken {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        return this.#said(textIn(update.content), update.messageId ?? null);
      case 'agent_thought_chunk':
        this.#thoughts = (this.#thoughts + storableText(textIn(update.content))).slice(0, THOUGHTS_MAX_CHARS);
        return NOTHING;
      case 'tool_call':
      case 'tool_call_update':
        return this.#called(update);
      case 'plan':
        return this.#planned(update);
    }
  }

  /** The id of a read or a write of a file through the village; null if the turn has too many. */
  idOfFile(tool: 'read_file' | 'write_file'): string | null {
    if (this.#files[tool] >= FILES_MAX) return null;
    this.#files[tool] += 1;
    return `${this.#prefix}${tool.slice(0, 1)}${this.#files[tool]}`;
  }

  /** A further prompt follows: the words about it are a paragraph of their own. */
  promptAgain(): void {
    this.#isBroken = true;
  }

  /**
   * The call of a request for a permission, with what the request adds; null if the turn has too many. Each request has an id of its
   * own, because some programs ask about a folder and then about the command with the same call.
   */
  asked(update: ToolCallUpdate): Readonly<{ id: string; call: ProgramCall }> | null {
    const known = this.#asks < ASKS_MAX ? this.#merged(update) : null;
    if (known === null) return null;
    this.#asks += 1;
    const asks = known.asks + 1;
    this.#calls.set(update.toolCallId, { ...known, asks });
    return { id: asks === 1 ? known.id : `${known.id}.${asks}`, call: known.call };
  }

  /** The API has stored the start of a request of `asked`. */
  witness(toolCallId: string, id: string): void {
    const known = this.#calls.get(toolCallId);
    if (known !== undefined)
      this.#calls.set(toolCallId, { ...known, witnessed: [...known.witnessed, id], phase: 'begun' });
  }

  /** The calls whose end the program has not named, at the end of the turn. */
  finish(): Taken {
    const open = [...this.#calls.values()].filter(({ phase }) => phase === 'begun');
    return {
      words: '',
      notes: open.flatMap((each) => (each.witnessed.length > 0 ? [] : [noteOf(each, 'unknown')])),
      ends: open.flatMap((each) => endsOf(each, false)),
    };
  }

  /** Words of one message follow each other; those after a call, or of another message, begin a paragraph. */
  #said(text: string, message: string | null): Taken {
    if (text === '') return NOTHING;
    const begins = this.#isBroken || (message !== null && message !== this.#lastMessage && this.#lastMessage !== null);
    const gap = begins && !this.#answer.isEmpty ? '\n\n' : '';
    this.#isBroken = false;
    this.#lastMessage = message;
    const words = storableText(gap + text);
    this.#answer.add(words);
    this.#unsaid.add(words);
    const room = Math.max(0, SHOWN_MAX_CHARS - this.#shown);
    this.#shown += words.length;
    return { ...NOTHING, words: words.slice(0, room) };
  }

  #called(update: ToolCallUpdate): Taken {
    this.#isBroken = true;
    const known = this.#merged(update);
    if (known === null || known.phase === 'ended') return NOTHING;
    const { status } = update;
    if (status === 'completed' || status === 'failed')
      return this.#ended(update.toolCallId, known, status === 'completed');
    if (status !== 'in_progress' || known.phase === 'begun') return NOTHING;
    this.#calls.set(update.toolCallId, { ...known, phase: 'begun' });
    return { ...NOTHING, notes: [noteOf(known, null)] };
  }

  #ended(key: string, known: FollowedCall, isDone: boolean): Taken {
    const { witnessed, phase, call } = known;
    this.#calls.set(key, { ...known, phase: 'ended', call: { ...UNNAMED, kind: call.kind }, witnessed: [] });
    if (witnessed.length > 0) return { ...NOTHING, ends: endsOf(known, isDone) };
    const begun = phase === 'begun' ? [] : [noteOf(known, null)];
    return { ...NOTHING, notes: [...begun, noteOf(known, isDone ? 'ok' : 'failed')] };
  }

  #merged(update: ToolCallUpdate): FollowedCall | null {
    const { toolCallId } = update;
    const known = this.#calls.get(toolCallId);
    if (known === undefined && this.#calls.size >= CALLS_MAX) return null;
    const before: FollowedCall = known ?? {
      id: `${this.#prefix}t${this.#calls.size + 1}`,
      call: UNNAMED,
      phase: 'announced',
      asks: 0,
      witnessed: [],
    };
    const merged: FollowedCall = { ...before, call: callWith(before.call, update) };
    if (before.phase !== 'ended') this.#calls.set(toolCallId, merged);
    return merged;
  }

  #planned(update: Extract<SessionUpdate, { sessionUpdate: 'plan' }>): Taken {
    const claim = claimOfPlan(update);
    if (claim === this.#lastPlan || this.#plans >= PLANS_MAX) return NOTHING;
    this.#lastPlan = claim;
    this.#plans += 1;
    return {
      ...NOTHING,
      notes: [{ id: `${this.#prefix}plan`, tool: `${PROGRAM_TOOL_PREFIX}plan`, outcome: 'ok', claim }],
    };
  }
}

const endsOf = ({ witnessed, call: { output } }: FollowedCall, isDone: boolean): readonly EndedCall[] =>
  witnessed.map((id) => ({ id, isDone, output }));

function callWith(call: ProgramCall, update: ToolCallUpdate): ProgramCall {
  const { kind, title, content, locations, rawInput, rawOutput } = update;
  const parts = content ?? [];
  const said = kept(textOfContent(parts) || rawText(rawOutput));
  const diffs = parts.flatMap((part) =>
    part.type === 'diff'
      ? [{ path: part.path, before: part.oldText && compared(part.oldText), after: compared(part.newText) }]
      : [],
  );
  return {
    ...call,
    ...(kind && { kind }),
    ...(title && { title: kept(title) }),
    ...(locations && { locations: locations.map(({ path, line }) => ({ path, line: line ?? null })) }),
    ...inputOf(rawInput),
    ...(said !== '' && { output: said }),
    ...(diffs.length > 0 && { diffs }),
  };
}

const inputOf = (raw: unknown): Partial<ProgramCall> =>
  raw === undefined || raw === null ? {} : { input: kept(rawText(raw)), raw };

const kept = (text: string): string => withoutMiddle(text, KEPT_CHARS);
const compared = (text: string): string => withoutMiddle(text, COMPARED_CHARS);

const noteOf = ({ id, call }: FollowedCall, outcome: ProgramNote['outcome']): ProgramNote => ({
  id,
  tool: `${PROGRAM_TOOL_PREFIX}${call.kind}`,
  outcome,
  claim: claimOfCall(call),
});

/** The beginning and the end of a text of any length. Mutable. */
class Answer {
  #head = '';
  #tail = '';
  #left = 0;

  get isEmpty(): boolean {
    return this.#head === '';
  }

  add(text: string): void {
    const room = HALF_ANSWER_CHARS - this.#head.length;
    this.#head += text.slice(0, Math.max(0, room));
    const rest = this.#tail + text.slice(Math.max(0, room));
    this.#left += Math.max(0, rest.length - HALF_ANSWER_CHARS);
    this.#tail = rest.slice(-HALF_ANSWER_CHARS);
  }

  get text(): string {
    const gap = this.#left === 0 ? '' : `\n[… ${this.#left} characters left out …]\n`;
    return `${this.#head}${gap}${this.#tail}`.toWellFormed();
  }
}
