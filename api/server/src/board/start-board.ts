import type { ModerationNote, Place, PlaceBody, WorldEvent } from '@hamlet/contract';
import { forgetBoardEvents, inTransaction, readVillage } from '@hamlet/store';
import type { Db, NewPost, Subject } from '@hamlet/store';
import type { Registry } from 'prom-client';
import type { AgentSource } from '../agents/agent-source.ts';
import type { WakeHub } from '../agents/wake-hub.ts';
import { refused } from '../http/outcome.ts';
import type { Refused } from '../http/outcome.ts';
import type { SocketRoute } from '../http/sockets/serve-sockets.ts';
import type { Log } from '../service/log.ts';
import { repeat } from '../service/repeat.ts';
import type { RedisLink } from '../world/redis-link.ts';
import type { WorldReader } from '../world/world-reader.ts';
import { agentAuthor } from './author-of.ts';
import type { BoardStandIn } from './copy/start-copy.ts';
import { startBoardCopy } from './copy/start-copy.ts';
import { startBoardCourier } from './live/board-courier.ts';
import { createBoardFeed } from './live/board-feed.ts';
import { createBoardPages } from './live/board-pages.ts';
import { startBoardRelay } from './live/board-relay.ts';
import { boardSocket } from './live/board-socket.ts';
import { startWorldNotes } from './world-notes.ts';
import { overContent, overRate, sitDown } from './writing-desk.ts';

const FORGET_EVERY_MS = 600_000;
/** Events a viewer can resume behind, and days that an agent's news wait for it. */
const KEPT_EVENTS = 20_000;
const KEPT_NEWS_DAYS = 30;

/** What the handlers of routes ask of the board. */
export interface Board {
  /** Names the order of its events; another one begins where a database was put back. */
  readonly epoch: string;
  /** Says that something was committed. */
  readonly nudge: () => void;
  /** Reads the board, also while the database is away. */
  readonly read: BoardStandIn['read'];
  /** Says that it was committed whether something is hidden, and why: from here on nobody reads that from a copy. */
  readonly tellDecided: (subject: Subject, hidden: ModerationNote | null) => void;
  /** Where in the world a wish to be pinned leads. Pure. */
  placeOf(wanted: PlaceBody | null): { readonly ok: true; readonly place: NewPost['place'] } | Refused;
  /** Why an agent may not pin this note to the notice board now; null where it may. */
  refuseNote(agentId: string, text: string): Promise<Refused | null>;
}

export interface BoardPorts {
  readonly db: Db;
  readonly link: RedisLink;
  readonly source: AgentSource;
  readonly hub: WakeHub;
  readonly reader: WorldReader;
  readonly onWorldEvent: (hear: (event: WorldEvent) => void) => void;
  readonly registry: Registry;
  readonly monotonicMs: () => number;
  readonly log: Log;
}

export interface RunningBoard {
  readonly board: Board;
  /** What serves /ws/board. */
  readonly socket: SocketRoute;
  stop(): Promise<void>;
}

/** Finds places on the map, which never changes. */
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

/** Where an agent stands; null while it is not in the world. */
function whereIs({ reader }: BoardPorts): (agentId: string) => Promise<Place | null> {
  return async (agentId) => {
    const place = (await reader.describe(agentId))?.place ?? null;
    return place === null ? null : { ...place.position, landmark_id: place.landmark_id };
  };
}

/** Starts all that keeps the board going on this replica. */
export async function startBoard(ports: BoardPorts): Promise<RunningBoard> {
  const { db, source, hub, log } = ports;
  const { streamEpoch: epoch } = await readVillage(db);
  const relay = await startBoardRelay(ports);
  const copy = await startBoardCopy({ ...ports, relay });
  const feed = createBoardFeed({ pages: createBoardPages({ db, relay, epoch, read: copy.read }), relay, log });
  startBoardCourier({ db, relay, hub, log });
  const notes = startWorldNotes({ ...ports, whereIs: whereIs(ports), onPosted: relay.nudge });
  const stopForgetting = repeat(
    FORGET_EVERY_MS,
    () => forgetBoardEvents(db, KEPT_EVENTS, KEPT_NEWS_DAYS),
    (error) => log('warn', 'old events of the board wait for the database', { error }),
  );
  const nudge = (): void => {
    relay.nudge();
    copy.noteBack();
  };
  return {
    board: {
      epoch,
      nudge,
      read: copy.read,
      tellDecided: (subject, hidden) => {
        if (hidden !== null) copy.hide({ ...subject, note: hidden });
        nudge();
      },
      placeOf: await placesOf(ports),
      refuseNote: async (agentId, text) => {
        const author = agentAuthor(agentId, source);
        if (author === null) return null;
        const desk = await inTransaction(db, (tx) => sitDown(tx, author));
        return overRate(desk, 'posts') ?? overContent(desk, { body: text });
      },
    },
    socket: boardSocket(feed),
    stop: async () => {
      await stopForgetting();
      await notes.stop();
      await copy.stop();
      await relay.stop();
    },
  };
}
