import { z } from 'zod';
import { finishMessage } from '../budget/budget.ts';
import { renderOutcome, ToolOutcome } from '../effects/tool-outcome.ts';
import { canonicalJson } from '../journal/digest.ts';
import type { Journal } from '../journal/journal.ts';
import { renderWords } from './persons-words.ts';
import type { Message, ModelCall } from './ports.ts';
import { reduce } from '../state/reduce.ts';
import type { CallState, RunState, Turn } from '../state/run-state.ts';

const MAX_HISTORY_RUNS = 50;
const DELETED = '[deleted]';

type Texts = Pick<Journal, 'textOf'>;

const StoredAnswer = z.strictObject({
  content: z.string(),
  toolCalls: z.array(z.strictObject({ id: z.string(), name: z.string(), arguments: z.string() })),
});

export const storedAnswer = (content: string, toolCalls: readonly ModelCall[]): string =>
  canonicalJson({ content, toolCalls });

export function readAnswer(journal: Texts, ref: string): z.infer<typeof StoredAnswer> {
  const text = journal.textOf(ref);
  return text === null ? { content: DELETED, toolCalls: [] } : StoredAnswer.parse(JSON.parse(text));
}

export type LoadedRun =
  | Readonly<{ ok: true; state: RunState }>
  | Readonly<{ ok: false; code: 'no_such_run' | 'journal_newer' | 'journal_damaged'; message: string }>;

export function loadRun(journal: Journal, run: string): LoadedRun {
  const found = journal.eventsOf(run);
  if (!found.ok) return found;
  let state: RunState | null = null;
  for (const event of found.events) {
    const next = reduce(state, event);
    if (!next.ok) return { ok: false, code: 'journal_damaged', message: `${event.type} in run ${run}: ${next.code}` };
    state = next.state;
  }
  return state === null ? { ok: false, code: 'no_such_run', message: `There is no run ${run}.` } : { ok: true, state };
}

/** The messages of the earlier runs of a conversation, oldest first. A summary replaces everything before it. */
export function historyBefore(journal: Journal, state: RunState): readonly Message[] {
  const runs: RunState[] = [];
  let { after } = state.opened;
  while (after !== null && runs.length < MAX_HISTORY_RUNS) {
    const loaded = loadRun(journal, after);
    if (!loaded.ok) break;
    runs.push(loaded.state);
    if (loaded.state.compacted !== null) break;
    ({ after } = loaded.state.opened);
  }
  return runs.toReversed().flatMap((run) => pastMessages(journal, run));
}

function pastMessages(journal: Texts, state: RunState): readonly Message[] {
  const before = state.compacted === null ? [] : [summaryMessage(journal, state.compacted.summary)];
  return [...before, inputMessage(journal, state, false), ...runMessages(journal, state)];
}

/** A summary, with what the tools keep of the calls that it replaces. */
export const summaryMessage = (journal: Texts, summary: string, kept: readonly string[] = []): Message => ({
  role: 'user',
  content: [`Summary of the conversation so far:\n${journal.textOf(summary) ?? DELETED}`, ...kept].join('\n\n'),
});

/** People's messages in the earlier runs of a conversation, oldest first; the newest ones that fit into the length. */
export function askedBefore(journal: Journal, state: RunState, maxChars: number): readonly string[] {
  const asked: string[] = [];
  let [{ after }, left, runs] = [state.opened, maxChars, 0];
  while (after !== null && runs < MAX_HISTORY_RUNS) {
    const loaded = loadRun(journal, after);
    if (!loaded.ok) break;
    const text = journal.textOf(loaded.state.opened.input) ?? DELETED;
    left -= text.length;
    if (left < 0) break;
    asked.unshift(`- ${text}`);
    ({ after } = loaded.state.opened);
    runs += 1;
  }
  return asked;
}

/** The person's message. In the run's own requests recalled memory follows it, so that a provider can cache the rest. */
export function inputMessage(journal: Texts, state: RunState, withRecalled: boolean): Message {
  const content = journal.textOf(state.opened.input) ?? DELETED;
  const recalled = withRecalled ? (journal.textOf(state.opened.recalled) ?? '') : '';
  return { role: 'user', content: recalled === '' ? content : `${content}\n\n[From memory]\n${recalled}` };
}

export function runMessages(journal: Texts, state: RunState): readonly Message[] {
  const first = state.compacted?.turns ?? 0;
  return [
    ...warningAt(state, first),
    ...state.turns
      .slice(first)
      .flatMap((turn, index) => [...turnMessages(journal, turn), ...warningAt(state, first + index + 1)]),
  ];
}

export const warningAt = ({ warned }: RunState, turns: number): readonly Message[] =>
  warned?.afterTurns === turns ? [{ role: 'user', content: finishMessage(warned.code) }] : [];

export function turnMessages(journal: Texts, turn: Turn): readonly Message[] {
  const { content, toolCalls } = readAnswer(journal, turn.message);
  if (toolCalls.length === 0) return [{ role: 'assistant', content, toolCalls }];
  const results = turn.calls.map((call) => ({
    role: 'tool' as const,
    callId: call.modelId,
    content: resultText(journal, call),
    outcome: call.outcome,
  }));
  return [{ role: 'assistant', content, toolCalls }, ...results];
}

/** The words of the person who answered about the call, for the model; empty if there are none or they were deleted. */
function wordsOf(journal: Texts, { question }: CallState): readonly string[] {
  const kept = question === null || question.words === null ? null : journal.textOf(question.words);
  return kept === null ? [] : [renderWords(kept)];
}

/** Each call needs a result, because providers refuse a call without one. */
function resultText(journal: Texts, call: CallState): string {
  if (call.result !== null) {
    const text = journal.textOf(call.result);
    if (text === null) return DELETED;
    return [renderOutcome(ToolOutcome.parse(JSON.parse(text))), ...wordsOf(journal, call)].join('\n');
  }
  if (call.attempt === 0) return 'The call did not run: the run ended first.';
  return renderOutcome({ kind: 'unknown', text: 'The run ended before its result was known.' });
}
