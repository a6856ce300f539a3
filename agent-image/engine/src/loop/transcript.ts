import { z } from 'zod';
import { countMessage, finishMessage, warningMessage } from '../budget/budget.ts';
import { ANSWER_IN_JSON } from '../context/agent-prompt.ts';
import { keptOutcome } from '../effects/kept-outcome.ts';
import { renderOutcome, type ToolOutcome } from '../effects/tool-outcome.ts';
import { askAgain } from '../json/index.ts';
import type { Journal } from '../journal/journal.ts';
import { renderWords } from './persons-words.ts';
import { ReasoningItem, type Message, type ModelEnd } from './ports.ts';
import { reduce } from '../state/reduce.ts';
import { type CallState } from '../state/call-state.ts';
import { isCut, isEmpty, isUnfit, textTurns, type RunState, type Turn } from '../state/run-state.ts';

const DELETED = '[deleted]';

/** The answer of a turn, the arguments of its calls as canonical JSON, and their outcomes by their keys. */
export type TurnValues = Readonly<{
  answers: ReadonlyMap<string, StoredAnswer>;
  arguments: ReadonlyMap<string, string>;
  outcomes: Map<string, ToolOutcome>;
}>;

/** The texts of a journal. A run in memory also has the values of its current turn, so that it need not parse their texts. */
export type Texts = Pick<Journal, 'textOf'> & Readonly<{ turn?: TurnValues }>;

const StoredAnswer = z.strictObject({
  content: z.string(),
  toolCalls: z.array(z.strictObject({ id: z.string(), name: z.string(), arguments: z.string() })),
  reasoning: z.array(ReasoningItem).optional(),
});

export type StoredAnswer = Readonly<z.infer<typeof StoredAnswer>>;

/** An answer as the journal keeps it. */
export const storedAnswer = ({
  content,
  toolCalls,
  reasoning,
}: Extract<ModelEnd, { type: 'answer' }>): StoredAnswer => ({
  content,
  toolCalls,
  ...(reasoning.length === 0 ? {} : { reasoning }),
});

export function readAnswer(texts: Texts, ref: string): StoredAnswer {
  const known = texts.turn?.answers.get(ref);
  if (known !== undefined) return known;
  const text = texts.textOf(ref);
  return text === null ? { content: DELETED, toolCalls: [] } : StoredAnswer.parse(JSON.parse(text));
}

type CallResult = Pick<CallState, 'result' | 'isPlain'>;

/** The key of a result among the outcomes of a turn: two forms of outcomes may have the same text. */
export const resultKey = ({ result, isPlain }: CallResult): string => `${isPlain ? 'plain ' : ''}${result}`;

/** The outcome of a call; null if it is not settled, or its text was deleted. */
export function readOutcome(texts: Texts, call: CallResult): ToolOutcome | null {
  const known = texts.turn?.outcomes.get(resultKey(call));
  if (known !== undefined) return known;
  const text = call.result === null ? null : texts.textOf(call.result);
  return text === null ? null : keptOutcome({ text, isPlain: call.isPlain });
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

/** Begins the words that stand for the answer of a run without one. */
export const NO_ANSWER = '[This run ended without an answer:';

/** The messages of an earlier run. Ends with words of the assistant, because the next run begins with those of a person. */
export function pastMessages(journal: Texts, state: RunState): readonly Message[] {
  const messages = [firstMessage(journal, state, { isPresent: false })];
  appendTurns(messages, journal, { state, to: state.turns.length });
  if (messages.at(-1)?.role === 'assistant') return messages;
  const content = `${NO_ANSWER} ${endOf(state)}]`;
  return [...messages, { role: 'assistant', content, toolCalls: [] }];
}

function endOf({ outcome, cancelled }: RunState): string {
  if (outcome?.kind === 'failed') return outcome.code;
  return cancelled ? 'cancelled' : 'interrupted';
}

export const bytesOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + Buffer.byteLength(message.content) + callBytes(message), 0);

const callBytes = (message: Message): number =>
  message.role === 'assistant'
    ? message.toolCalls.reduce((sum, { name, arguments: text }) => sum + name.length + Buffer.byteLength(text), 0)
    : 0;

export const summaryText = (journal: Texts, summary: string): string =>
  `Summary of the conversation so far:\n${journal.textOf(summary) ?? DELETED}`;

/** `isPresent`: for the run's own requests. `kept`: what tools keep of the calls that the summary replaces. */
type First = Readonly<{ isPresent: boolean; kept?: readonly string[] }>;

/**
 * The person's message, after the summary that replaces everything before it. In the run's own requests the situation and recalled
 * memory follow, which differ from message to message: a provider can cache all that stands before. The schema of the answer is last.
 */
export function firstMessage(journal: Texts, state: RunState, { isPresent, kept = [] }: First): Message {
  const { opened, compacted } = state;
  const section = (title: string, ref: string): readonly string[] => {
    const text = journal.textOf(ref) ?? '';
    return text === '' ? [] : [`[${title}]\n${text}`];
  };
  const summary = compacted === null ? [] : [summaryText(journal, compacted.summary)];
  const added = isPresent
    ? [
        ...section('Situation', opened.situation),
        ...section('From memory', opened.recalled),
        ...(opened.output === undefined ? [] : [answerSection(journal, opened.output.schema)]),
      ]
    : [];
  const content = [...summary, ...kept, textOfInput(journal, state), ...added].join('\n\n');
  return { role: 'user', content };
}

const answerSection = (journal: Texts, schema: string): string =>
  `[Answer]\n${ANSWER_IN_JSON}\n${journal.textOf(schema) ?? DELETED}`;

export const textOfInput = (journal: Texts, { opened }: RunState): string => journal.textOf(opened.input) ?? DELETED;

type Turns = Readonly<{ state: RunState; from?: number; to: number }>;

/** Appends the turns of a run, each with the engine's own words before it. An earlier run keeps none of its warnings. */
export function appendTurns(
  messages: Message[],
  journal: Texts,
  { state, from = state.compacted?.turns ?? 0, to }: Turns,
): void {
  for (const [index, turn] of state.turns.slice(from, to).entries()) {
    for (const words of wordsAfter(journal, state, from + index)) appendWords(messages, words);
    messages.push(...turnMessages(journal, turn));
  }
}

const GO_ON = 'Your answer reached its maximum length. Continue exactly where it stops; repeat nothing.';
const EMPTY =
  'Your last answer was empty, or ended with a call written as text, which does not run. Call the tool, or answer in words.';

/** The words of the engine itself to the model after a number of turns. An ended run needs no warnings any more. */
export function wordsAfter(journal: Texts, state: RunState, turns: number): readonly string[] {
  const said = aboutTurn(journal, state.turns[turns - 1], state.turns[turns - 2]);
  return state.outcome === null ? [...said, ...warningsAfter(state, turns)] : said;
}

/** An empty answer after another one changes nothing: the words about the first one still stand. */
function aboutTurn(journal: Texts, turn: Turn | undefined, before: Turn | undefined): readonly string[] {
  if (turn === undefined) return [];
  if (isUnfit(turn)) return unfitWords(journal, turn);
  if (isCut(turn)) return [GO_ON];
  return isEmpty(turn) && (before === undefined || !isEmpty(before)) ? [EMPTY] : [];
}

function unfitWords(journal: Texts, { output }: Turn): readonly string[] {
  const { code = null, text = '' } = output ?? {};
  return code === null ? [] : [askAgain(code, journal.textOf(text) ?? DELETED)];
}

function warningsAfter({ warned, counts, finishing }: RunState, turns: number): readonly string[] {
  const words = [
    ...counts.flatMap((count) => (count.afterTurns === turns ? [countMessage(count)] : [])),
    ...warned.flatMap(({ code, afterTurns }) => (afterTurns === turns ? [warningMessage(code)] : [])),
  ];
  if (finishing?.afterTurns !== turns) return words;
  return [...words, finishMessage(finishing.code)];
}

/** Joins the words to the last message, unless it is the model's: some templates refuse two messages of one side in a row. */
export function appendWords(messages: Message[], words: string): void {
  const last = messages.at(-1);
  if (last === undefined || last.role === 'assistant') return void messages.push({ role: 'user', content: words });
  messages[messages.length - 1] = { ...last, content: `${last.content}\n\n${words}` };
}

/** A turn without words and calls has no message, because some providers refuse an empty one. */
function turnMessages(journal: Texts, turn: Turn): readonly Message[] {
  if (isEmpty(turn)) return [];
  const { content, toolCalls, reasoning } = readAnswer(journal, turn.message);
  const said: Message = { role: 'assistant', content, toolCalls, ...(reasoning === undefined ? {} : { reasoning }) };
  if (toolCalls.length === 0) return [said];
  return [said, ...turn.calls.map((call) => resultOf(journal, call))];
}

/** The text of a run's answer, whose parts were cut at the limit of tokens. */
export const answerText = (journal: Texts, state: RunState): string =>
  textTurns(state)
    .map(({ message }) => readAnswer(journal, message).content)
    .join('');

/** The words of the person who answered about the call, for the model; empty if there are none or they were deleted. */
function wordsOf(journal: Texts, { question }: CallState): readonly string[] {
  const kept = question === null || question.words === null ? null : journal.textOf(question.words);
  return kept === null ? [] : [renderWords(kept)];
}

/** Each call needs a result, because providers refuse a call without one. */
function resultOf(journal: Texts, call: CallState): Message {
  const { modelId: callId, outcome, result } = call;
  const message = { role: 'tool', callId, outcome } as const;
  if (result === null) return { ...message, content: call.attempt === 0 ? NOT_BEGUN : NOT_ENDED };
  const read = readOutcome(journal, call);
  if (read === null) return { ...message, content: DELETED };
  const content = [renderOutcome(read), ...wordsOf(journal, call)].join('\n');
  return {
    ...message,
    content,
    ...(read.kind === 'failed' && { code: read.code }),
    ...(read.kind === 'ok' && read.images !== undefined && { images: read.images }),
  };
}

const NOT_BEGUN = 'The call did not run: the run ended first.';
const NOT_ENDED =
  'The run ended during this call: it may have done all or a part. Look at what is there before you repeat it.';
