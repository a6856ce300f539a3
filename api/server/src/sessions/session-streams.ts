import type { ChatSessionRow, Db, RunRow, SessionEventRow } from '@hamlet/store';
import {
  findChatSession,
  findWorkingRun,
  readMessages,
  readMessagesById,
  readPermissionsById,
  readPermissionsOfRun,
  readRunEvents,
  readRunsById,
  readSessionEvents,
  readVillage,
  inSnapshot,
  SESSION_EVENTS_CHANNEL,
  sessionEventRange,
} from '@hamlet/store';
import { z } from 'zod';
import type { Actor } from '../http/actor.ts';
import type { EventSink } from '../http/event-sink.ts';
import { pageCursor } from '../http/page-cursor.ts';
import { permissionView } from '../permissions/view/permission-view.ts';
import type { RunDeltas } from '../runs/run-deltas.ts';
import { runEventView, runView } from '../runs/run-view.ts';
import type { Services } from '../service/services.ts';
import { coalesce } from '../service/single-flight.ts';
import { admitTo } from './transcript/session-access.ts';
import { chatSessionView, messageView } from './transcript/session-view.ts';

const PAGE = 200;
const FIRST_MESSAGES = 100;
const STREAMS_MAX = 2_000;
const STREAMS_OF_SESSION_MAX = 64;
const STREAMS_OF_CALLER_MAX = 16;

const cursor = pageCursor(z.int().min(0));

interface OpenStream {
  readonly sessionId: string;
  readonly actor: Actor;
  readonly sink: EventSink;
  question: string;
  number: number;
  followed: { readonly runId: string; readonly stop: () => void } | null;
  sentRun: string;
}

const questionOf = (epoch: string, sessionId: string): string => `${epoch}/${sessionId}`;

function keyOf({ kind, objectId, runEvent }: Omit<SessionEventRow, 'number'>): string {
  return `${kind}/${objectId}/${runEvent ?? ''}`;
}

/** Adds the run events of a page, which are contiguous for each run. */
async function addRunEvents(db: Db, page: readonly SessionEventRow[], things: Map<string, unknown>): Promise<void> {
  const ranges = new Map<string, { from: number; to: number }>();
  for (const { objectId, runEvent } of page) {
    if (runEvent === null) continue;
    const range = ranges.get(objectId) ?? { from: runEvent, to: runEvent };
    ranges.set(objectId, { from: Math.min(range.from, runEvent), to: Math.max(range.to, runEvent) });
  }
  for (const [runId, { from, to }] of ranges)
    for (const event of await readRunEvents(db, runId, { after: from - 1, limit: to - from + 1 }))
      things.set(keyOf({ kind: 'run_event', objectId: runId, runEvent: event.number }), runEventView(runId, event));
}

async function readThings(
  db: Db,
  session: ChatSessionRow,
  page: readonly SessionEventRow[],
): Promise<ReadonlyMap<string, unknown>> {
  const { sessionId } = session;
  const things = new Map<string, unknown>();
  const add = (kind: SessionEventRow['kind'], objectId: string, thing: unknown): unknown =>
    things.set(keyOf({ kind, objectId, runEvent: null }), thing);
  const idsOf = (kind: SessionEventRow['kind']): readonly string[] =>
    page.filter((event) => event.kind === kind).map(({ objectId }) => objectId);
  add('session', sessionId, chatSessionView(session));
  for (const [id, row] of await readMessagesById(db, idsOf('message'))) add('message', id, messageView(row));
  for (const [id, row] of await readPermissionsById(db, idsOf('permission')))
    add('permission', id, permissionView(row, sessionId));
  await addRunEvents(db, page, things);
  return things;
}

/** Sends a page of changes. Leaves out objects that were deleted since. */
async function sendPage(db: Db, stream: OpenStream, page: readonly SessionEventRow[]): Promise<void> {
  const { sink, sessionId } = stream;
  const session = await findChatSession(db, sessionId);
  // A person who was removed from the session may read nothing more.
  if (!admitTo(session, stream.actor).ok || session === null) return sink.close();
  const things = await readThings(db, session, page);
  // A message changes the state of its session. This event has no id, because the message itself follows it.
  if (page.some(({ kind }) => kind === 'message')) sink.send('session', chatSessionView(session));
  for (const change of page) {
    const thing = things.get(keyOf(change));
    if (thing !== undefined) sink.send(change.kind, thing, cursor.write(stream.question, change.number));
    stream.number = change.number;
  }
  const runIds = page.flatMap(({ kind, objectId }) => (kind === 'run_event' ? [objectId] : []));
  for (const run of (await readRunsById(db, [...new Set(runIds)])).values()) sendChangedRun(stream, run);
}

function sendChangedRun(stream: OpenStream, row: RunRow): void {
  const run = runView(row);
  const text = JSON.stringify(run);
  if (stream.sentRun === text) return;
  stream.sentRun = text;
  stream.sink.send('run', run);
}

async function sendRun(tx: Db, stream: OpenStream, runId: string): Promise<void> {
  const { sink, sessionId } = stream;
  for (const run of (await readRunsById(tx, [runId])).values()) sendChangedRun(stream, run);
  for (const event of await readRunEvents(tx, runId, { after: 0, limit: PAGE }))
    sink.send('run_event', runEventView(runId, event));
  for (const permission of await readPermissionsOfRun(tx, runId, PAGE))
    sink.send('permission', permissionView(permission, sessionId));
}

/** Sends the present state. Only its last event has an id, so a stream that breaks earlier begins again. */
async function begin(db: Db, stream: OpenStream): Promise<void> {
  await inSnapshot(db, async (tx) => {
    const range = await sessionEventRange(tx, stream.sessionId);
    const session = await findChatSession(tx, stream.sessionId);
    if (range === null || session === null) return stream.sink.close();
    const { rows } = await readMessages(tx, stream.sessionId, { before: null, limit: FIRST_MESSAGES });
    stream.sink.send('reset', {});
    for (const message of rows.toReversed()) stream.sink.send('message', messageView(message));
    for (const { runId } of rows.filter(({ state }) => state === 'working'))
      if (runId !== null) await sendRun(tx, stream, runId);
    stream.number = range.last;
    stream.sink.send('session', chatSessionView(session), cursor.write(stream.question, range.last));
  });
}

async function followAnswer({ db, deltas }: StreamPorts, stream: OpenStream, isOpen: () => boolean): Promise<void> {
  const runId = await findWorkingRun(db, stream.sessionId);
  if (stream.followed?.runId === runId) return;
  stream.followed?.stop();
  const follows = runId !== null && isOpen();
  stream.followed = follows
    ? { runId, stop: deltas.subscribe(runId, (delta) => stream.sink.send('delta', delta)) }
    : null;
}

/** Sends all changes page by page, each once the reader has read enough of the previous one. */
async function drain(db: Db, stream: OpenStream, isOpen: () => boolean): Promise<void> {
  while (isOpen()) {
    const page = await readSessionEvents(db, stream.sessionId, { after: stream.number, limit: PAGE });
    if (page.length > 0) await sendPage(db, stream, page);
    if (page.length < PAGE) return;
    await stream.sink.drained();
  }
}

/** Continues a stream after its cursor, or restarts it if the changes after the cursor were deleted. */
async function resume(db: Db, stream: OpenStream, after: string | undefined): Promise<void> {
  const number = cursor.read(after, stream.question);
  const range = await sessionEventRange(db, stream.sessionId);
  const isKnown = typeof number === 'number' && range !== null && number <= range.last && number >= range.first - 1;
  if (!isKnown) return begin(db, stream);
  stream.number = number;
}

export interface StreamPorts extends Pick<Services, 'db' | 'log'> {
  readonly notifications: Pick<Services['notifications'], 'on'>;
  readonly deltas: Pick<RunDeltas, 'subscribe'>;
}

export function startSessionStreams(ports: StreamPorts) {
  const { db, notifications, log } = ports;
  const pumps = new Map<OpenStream, () => void>();
  notifications.on(SESSION_EVENTS_CHANNEL, (sessionId) => {
    // A null session means a new connection, which may have missed notifications.
    for (const [stream, pump] of pumps) if (sessionId === null || stream.sessionId === sessionId) pump();
  });
  const count = (matches: (stream: OpenStream) => boolean): number => [...pumps.keys()].filter(matches).length;

  function pumpOf(stream: OpenStream): () => void {
    const isOpen = (): boolean => pumps.has(stream);
    const pump = coalesce(async () => {
      await drain(db, stream, isOpen);
      await followAnswer(ports, stream, isOpen);
    });
    return () =>
      void pump().catch((error: unknown) => {
        // The reader reconnects after its last event.
        log('warn', 'a stream of a session could not be read and was closed', { session_id: stream.sessionId, error });
        stream.sink.close();
      });
  }

  return {
    cursorOf: async (tx: Db, sessionId: string) => {
      const { streamEpoch } = await readVillage(tx);
      const range = await sessionEventRange(tx, sessionId);
      return cursor.write(questionOf(streamEpoch, sessionId), range?.last ?? 0);
    },
    /** Opens a stream after a cursor, or from the present state. Returns a function that ends it; null if too many are open. */
    open: async (
      {
        sessionId,
        actor,
        after,
      }: { readonly sessionId: string; readonly actor: Actor; readonly after: string | undefined },
      sink: EventSink,
    ) => {
      if (pumps.size >= STREAMS_MAX) return null;
      if (count((stream) => stream.sessionId === sessionId) >= STREAMS_OF_SESSION_MAX) return null;
      if (count((stream) => stream.actor.id === actor.id) >= STREAMS_OF_CALLER_MAX) return null;
      const stream: OpenStream = { sessionId, actor, sink, question: '', number: 0, followed: null, sentRun: '' };
      // Registers the stream before anything waits, so that the limits count it; its pump starts afterwards.
      pumps.set(stream, () => undefined);
      try {
        stream.question = questionOf((await readVillage(db)).streamEpoch, sessionId);
        await resume(db, stream, after);
      } catch (error) {
        pumps.delete(stream);
        throw error;
      }
      const pump = pumpOf(stream);
      pumps.set(stream, pump);
      pump();
      return () => {
        pumps.delete(stream);
        stream.followed?.stop();
      };
    },
    stop: () => {
      for (const { sink } of pumps.keys()) sink.close();
    },
  };
}
