import type { ModerationNote, Place, PlaceBody, WorldEvent } from '@hamlet/contract';
import { forgetBoardEvents, inTransaction, readAs, readNewsBetween, readVillage, VILLAGE } from '@hamlet/store';
import type { NewPost, Subject } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';
import type { WakeHub } from '../residents/wake-hub.ts';
import { refused, type Refused } from '../http/outcome.ts';
import { coalesce } from '../service/single-flight.ts';
import { job } from '../service/jobs.ts';
import type { WorldReader } from '../world/world-reader.ts';
import { agentAuthor } from './author-of.ts';
import { startBoardCopy, type BoardStandIn } from './board-copy.ts';
import { createBoardFeed, boardSocket } from './board-feed.ts';
import { createBoardPages } from './board-pages.ts';
import { startBoardRelay, type BoardRelay } from './board-relay.ts';
import { startWorldNotes } from './world-notes.ts';
import { overContent, overRate, lockAuthor } from './author-lock.ts';
import type { Services } from '../service/services.ts';

const FORGET_EVERY_MS = 600_000;
/** Number of newest events that are kept, so that viewers can resume; and days for which an agent's news is kept. */
const KEPT_EVENTS = 20_000;
const KEPT_NEWS_DAYS = 30;

export interface Board {
  /** The epoch of the board's events; a restored database starts a new one. */
  readonly epoch: string;
  /** Call this after a commit: publishes the committed events. */
  readonly nudge: () => void;
  readonly read: BoardStandIn['read'];
  /**
   * Announces a committed decision to hide or show a text to all replicas. Hides the text in this replica's copy at
   * once.
   */
  readonly publishDecision: (subject: Subject, hidden: ModerationNote | null) => void;
  placeOf(wanted: PlaceBody | null): { readonly ok: true; readonly place: NewPost['place'] } | Refused;
  refuseNote(agentId: string, text: string): Promise<Refused | null>;
}

interface BoardPorts extends Pick<Services, 'db' | 'link' | 'registry' | 'monotonicMs' | 'log'> {
  readonly source: AgentSource;
  readonly hub: WakeHub;
  readonly reader: WorldReader;
  readonly onWorldEvent: (listener: (event: WorldEvent) => void) => void;
}

async function placesOf({ reader }: BoardPorts): Promise<Board['placeOf']> {
  const { landmarks, world_size: size } = await reader.world();
  return (wanted) => {
    if (wanted === null) return { ok: true, place: null };
    if ('landmark_id' in wanted) {
      const landmark = landmarks.find(({ landmark_id: id }) => id === wanted.landmark_id);
      return landmark === undefined
        ? refused('no_such_landmark')
        : { ok: true, place: { ...landmark.position, landmarkId: landmark.landmark_id } };
    }
    if (wanted.x >= size.width || wanted.y >= size.height) return refused('out_of_bounds');
    const there = landmarks.find(({ position, slots }) =>
      [position, ...slots].some(({ x, y }) => x === wanted.x && y === wanted.y),
    );
    return { ok: true, place: { ...wanted, landmarkId: there?.landmark_id ?? null } };
  };
}

function whereIs({ reader }: BoardPorts): (agentId: string) => Promise<Place | null> {
  return async (agentId) => {
    const place = (await reader.describe(agentId))?.place ?? null;
    return place === null ? null : { ...place.position, landmark_id: place.landmark_id };
  };
}

/** Stores nothing, because an agent asks for its news when it connects. */
function notifyAgents({ db, hub, log }: BoardPorts, relay: BoardRelay): void {
  let notified = relay.head;
  const notify = coalesce(async () => {
    const upTo = relay.head;
    const agentIds = [...new Set(hub.streams().map(({ agentId }) => agentId))];
    if (agentIds.length > 0) {
      const news = await readAs(db, VILLAGE, (tx) => readNewsBetween(tx, agentIds, { after: notified, upTo }));
      for (const { agentId, postId, replyId, why } of news)
        hub.hintBoard(agentId, { post_id: postId, reply_id: replyId, why });
    }
    notified = upTo;
  });
  relay.onHead(
    () =>
      void notify().catch((error: unknown) =>
        log('warn', 'agents could not be notified of news on the board; the next event tries again', { error }),
      ),
  );
}

export async function startBoard(ports: BoardPorts) {
  const { db, source, log } = ports;
  const { streamEpoch: epoch } = await readVillage(db);
  const relay = await startBoardRelay(ports);
  const copy = await startBoardCopy({ ...ports, relay });
  const feed = createBoardFeed({ pages: createBoardPages({ db, relay, epoch, read: copy.read }), relay, log });
  notifyAgents(ports, relay);
  const notes = startWorldNotes({ ...ports, whereIs: whereIs(ports), onPosted: relay.nudge });
  const forget = (): Promise<void> => forgetBoardEvents(db, KEPT_EVENTS, KEPT_NEWS_DAYS);
  const nudge = (): void => {
    relay.nudge();
    copy.noteBack();
  };
  const board: Board = {
    epoch,
    nudge,
    read: copy.read,
    publishDecision: (subject, hidden) => {
      if (hidden !== null) copy.hide({ ...subject, note: hidden });
      nudge();
    },
    placeOf: await placesOf(ports),
    refuseNote: async (agentId, text) => {
      const author = agentAuthor(agentId, source);
      if (author === null) return null;
      const locked = await inTransaction(db, (tx) => lockAuthor(tx, author));
      return overRate(locked, 'posts') ?? overContent(locked, { body: text });
    },
  };
  return {
    board,
    socket: boardSocket(feed),
    jobs: [...notes.jobs, job({ name: 'board-retention', everyMs: FORGET_EVERY_MS, run: forget })],
    stop: async () => {
      await notes.stop();
      await copy.stop();
      await relay.stop();
    },
  };
}
