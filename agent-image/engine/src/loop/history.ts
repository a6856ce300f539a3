import { fitPieces, levelFor, type Form, type Piece, type Sized } from '../context/fit-pieces.ts';
import { withoutMiddle } from '../effects/tool-outcome.ts';
import type { Journal } from '../journal/journal.ts';
import type { RunState } from '../state/run-state.ts';
import type { Message, ModelCall } from './ports.ts';
import { bytesOf, loadRun, pastMessages, textOfInput } from './transcript.ts';

export const MAX_HISTORY_RUNS = 50;
/** Runs beyond this multiple of the room are not read at all. */
const READ_SHARE = 4;
/** Tokens of a message besides its text. */
const TOKENS_OF_MESSAGE = 4;

export type HistoryPart = Readonly<{ run: string; form: Form; tokens: number }>;

/** The conversation before a run as its requests contain it. */
export type History = Readonly<{
  messages: readonly Message[];
  parts: readonly HistoryPart[];
  /** The words of people and model, a text for each run, oldest first. */
  talks: readonly string[];
  /** False if there is more than the messages show, or soon will be. */
  isWhole: boolean;
}>;

export type HistoryRoom = Readonly<{ tokens: number; bytesPerToken: number }>;

/**
 * The messages of the earlier runs of a conversation, oldest first. A summary replaces everything before it. The summary and the
 * newest run stay whole. If the others do not fit, the older ones are shortened first, calls and their results before words.
 */
export function historyBefore(journal: Journal, state: RunState, room: HistoryRoom): History {
  const { runs, isAll } = runsBefore(journal, state, room);
  const pieces = runs.map((run, index) =>
    runPiece(run.messages, {
      room,
      place: index === runs.length - 1 || run.isSummary ? 'tail' : 'middle',
      importance: index + 1,
    }),
  );
  const fitted = fitPieces(pieces, room.tokens);
  return {
    messages: fitted.flatMap(({ value }) => value ?? []),
    parts: fitted.map(({ form, tokens }, index) => ({ run: runs[index]?.run ?? '', form, tokens })),
    talks: runs.map(({ messages }) => talkOf(messages)),
    isWhole: isAll && fitted.every(({ form }) => form === 'whole'),
  };
}

const talkOf = (messages: readonly Message[]): string => `${messages[0]?.content}\n${messages.at(-1)?.content}`;

type PastRun = Readonly<{ run: string; messages: readonly Message[]; isSummary: boolean }>;

/** `isAll`: true if the runs are the whole conversation, and one more would still be read. */
function runsBefore(
  journal: Journal,
  { opened }: RunState,
  room: HistoryRoom,
): Readonly<{ runs: readonly PastRun[]; isAll: boolean }> {
  const runs: PastRun[] = [];
  let [{ after }, left] = [opened, room.tokens * READ_SHARE];
  while (after !== null && runs.length < MAX_HISTORY_RUNS && (left > 0 || runs.length === 0)) {
    const loaded = loadRun(journal, after);
    if (!loaded.ok) break;
    const messages = pastMessages(journal, loaded.state);
    left -= tokensOf(messages, room);
    const isSummary = loaded.state.compacted !== null;
    runs.unshift({ run: after, messages, isSummary });
    after = isSummary ? null : loaded.state.opened.after;
  }
  return { runs, isAll: after === null && runs.length < MAX_HISTORY_RUNS };
}

const tokensOf = (messages: readonly Message[], { bytesPerToken }: HistoryRoom): number =>
  Math.ceil(bytesOf(messages) / bytesPerToken) + messages.length * TOKENS_OF_MESSAGE;

type Messages = readonly Message[];
type Placed = Pick<Piece<Messages>, 'place' | 'importance'> & Readonly<{ room: HistoryRoom }>;

/** Person and model alternate also in a shortened run: its first message and its answer stay, and each call has its result. */
const runPiece = (messages: Messages, { room, ...placed }: Placed): Piece<Messages> => ({
  ...placed,
  value: messages,
  tokens: tokensOf(messages, room),
  shorten: (maxTokens) => shortenRun(messages, { maxTokens, room }),
});

type Limit = Readonly<{ maxTokens: number; room: HistoryRoom }>;

function shortenRun(messages: Messages, { maxTokens, room }: Limit): Sized<Messages> | null {
  const groups = groupsOf(messages);
  const pieces = groups.map((group, index): Piece<Messages> => ({
    value: group,
    tokens: tokensOf(group, room),
    place: index === 0 || index === groups.length - 1 ? 'tail' : 'middle',
    importance: index,
    shorten: (most) => shortenGroup(group, { maxTokens: most, room }),
  }));
  const fitted = fitPieces(pieces, maxTokens);
  if (fitted[0]?.value === null || fitted.at(-1)?.value === null) return null;
  const value = fitted.flatMap((each) => each.value ?? []);
  return { value, tokens: tokensOf(value, room) };
}

/** The person's message, and each answer of the model with the results of its calls. */
function groupsOf(messages: Messages): readonly Messages[] {
  const groups: Message[][] = [];
  for (const message of messages)
    if (message.role === 'assistant' || groups.length === 0) groups.push([message]);
    else groups.at(-1)?.push(message);
  return groups;
}

const CUT_AGAIN = 0.8;
const LEAST_CHARS = 40;

function shortenGroup(group: Messages, { maxTokens, room }: Limit): Sized<Messages> | null {
  const sizes = group.map(({ content }) => content.length);
  for (let chars = maxTokens * room.bytesPerToken; chars >= LEAST_CHARS * group.length; chars *= CUT_AGAIN) {
    const level = levelFor(sizes, Math.floor(chars));
    const value = group.map((message) => cutMessage(message, level));
    const tokens = tokensOf(value, room);
    if (tokens <= maxTokens) return { value, tokens };
  }
  return null;
}

/** The thought before an answer and images are left out with the text that they belong to. */
function cutMessage(message: Message, level: number): Message {
  const content = withoutMiddle(message.content, level);
  if (message.role === 'user') return { ...message, content };
  if (message.role === 'tool') return { role: 'tool', callId: message.callId, outcome: message.outcome, content };
  return { role: 'assistant', content, toolCalls: message.toolCalls.map((call) => cutCall(call, level)) };
}

const cutCall = (call: ModelCall, level: number): ModelCall =>
  call.arguments.length <= level
    ? call
    : { ...call, arguments: JSON.stringify({ left_out: `${call.arguments.length} characters` }) };

/** People's messages in the earlier runs of a conversation, oldest first. */
export function askedBefore(
  journal: Journal,
  { opened }: RunState,
): readonly Readonly<{ run: string; text: string }>[] {
  const asked: Readonly<{ run: string; text: string }>[] = [];
  let { after } = opened;
  while (after !== null && asked.length < MAX_HISTORY_RUNS) {
    const loaded = loadRun(journal, after);
    if (!loaded.ok) break;
    asked.unshift({ run: after, text: textOfInput(journal, loaded.state) });
    ({ after } = loaded.state.opened);
  }
  return asked;
}
