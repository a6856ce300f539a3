import type { Client, GivenFile, Mind, Permission, RunEvent, SessionMessage, StreamEvent } from '@hamlet/contract';
import { mindIn } from '@hamlet/core/mind';
import { dataOf, getRun, listMessages, openSessionStream, sendMessage } from '@hamlet/contract';
import { persistent } from './persistent-stream.ts';
import { printable } from './printable.ts';
import { stateLines, usageOf } from './run-end.ts';
import type { Transcript } from './transcript.ts';

/** A message of a person, before it is sent. */
export interface Letter {
  readonly text: string;
  readonly files: readonly GivenFile[];
}

export interface Turn {
  readonly api: Client;
  readonly session: string;
  readonly transcript: Transcript;
}

type Event = StreamEvent<typeof openSessionStream>;
type OnPermission = (permission: Permission) => Promise<void>;

const WAKES: Readonly<Record<string, string>> = {
  waking: 'the village awakens the agent',
  suspended: 'the agent is put to sleep: the message waits until a person awakens it',
  never: 'messages do not awaken this agent: the message waits until a person awakens it',
};

/** The messages of a turn, as the stream reports them. Mutable, because their states change. */
class Exchange {
  readonly #asked: string;
  #state: SessionMessage['state'] = 'queued';
  /** The mind that works on it; null before its start. */
  mind: Mind | null = null;
  #isAnswered = false;

  constructor(asked: string) {
    this.#asked = asked;
  }

  /** Records a message; returns it if it is the first answer, else null. */
  take(message: SessionMessage): SessionMessage | null {
    if (message.message_id === this.#asked) this.#state = message.state;
    if (message.in_reply_to !== this.#asked || message.author.role !== 'agent') return null;
    const isFirst = !this.#isAnswered;
    this.#isAnswered = true;
    return isFirst ? message : null;
  }

  /** Null while the agent works. */
  get outcome(): 'answered' | 'failed' | 'cancelled' | null {
    if (this.#state === 'failed' || this.#state === 'cancelled') return this.#state;
    return this.#isAnswered ? 'answered' : null;
  }
}

async function send(
  { api, session, transcript }: Turn,
  { text, files }: Letter,
): Promise<{ asked: string; runId: string; cursor: string }> {
  const place = { params: { session_id: session } };
  const body = { text, ...(files.length === 0 ? {} : { files: [...files] }) };
  const { stream_cursor: cursor } = await dataOf(api.call(listMessages, { ...place, query: { limit: 1 } }));
  const { message, run, wake } = await dataOf(api.call(sendMessage, { ...place, body }));
  const words = WAKES[wake];
  if (words !== undefined) transcript.line(`  ${words}`);
  return { asked: message.message_id, runId: run.run_id, cursor };
}

/** Sends a message and prints events until the answer. Returns true if it was answered. */
export async function talk(turn: Turn, letter: Letter, onPermission: OnPermission): Promise<boolean> {
  const { asked, runId, cursor } = await send(turn, letter);
  const exchange = new Exchange(asked);
  const shown = new Set<string>();
  let after = cursor;
  const take = async (event: Event): Promise<void> => {
    after = event.id ?? after;
    if (event.event === 'message') printMessage(turn.transcript, event.data, { runId, exchange });
    if (event.event === 'delta' && event.data.run_id === runId) turn.transcript.delta(event.data);
    if (event.event === 'run_event' && event.data.run_id === runId) printEvent(turn.transcript, event.data, exchange);
    const waiting = event.event === 'permission' ? waitingOf(event.data, runId) : null;
    if (waiting === null || shown.has(waiting.permission_id)) return;
    shown.add(waiting.permission_id);
    await onPermission(waiting);
  };
  const open = () => turn.api.open(openSessionStream, { params: { session_id: turn.session }, query: { after } });
  for await (const event of persistent(open)) {
    await take(event);
    if (exchange.outcome !== null) break;
  }
  if (exchange.outcome === 'answered') return true;
  const { run } = await dataOf(turn.api.call(getRun, { params: { run_id: runId } }));
  for (const line of stateLines(run)) turn.transcript.line(line);
  return false;
}

const waitingOf = (permission: Permission, runId: string): Permission | null =>
  permission.run_id === runId && permission.state === 'pending' ? permission : null;

function printEvent(transcript: Transcript, event: RunEvent, exchange: Exchange): void {
  exchange.mind = mindIn(event.detail) ?? exchange.mind;
  transcript.event(event);
}

type Expected = Readonly<{ runId: string; exchange: Exchange }>;

function printMessage(transcript: Transcript, message: SessionMessage, { runId, exchange }: Expected): void {
  if (!message.progress) return printAnswer(transcript, exchange.take(message), exchange.mind);
  if (message.run_id === runId) transcript.line(`  ${reportLine(message.text)}`);
}

/** Extracts steps and calls so far, the current action and failed calls from a progress report. */
export function reportLine(report: string): string {
  const lines = report.split('\n').filter((line) => /^(Done|Now|Failed): /.test(line));
  return printable(lines.join('; '));
}

function printAnswer(transcript: Transcript, answer: SessionMessage | null, mind: Mind | null): void {
  if (answer === null) return;
  transcript.answer(answer.text);
  transcript.line(`  ${usageOf(mind, answer.steps ?? 0, `${printable(answer.cost ?? '0')} aiDollars`)}`);
}
