import { randomUUID } from 'node:crypto';
import type { Place, WorldEvent } from '@hamlet/contract';
import { insertPost, inTransaction, setViewer, moveWorldCursor, takeWorldNotes, VILLAGE } from '@hamlet/store';
import type { Byline, Db, NewPost, Tx, WorldNote } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';
import { recordAct } from '../audit/record-act.ts';
import type { Log } from '../service/log.ts';
import { titleOfNote } from '@hamlet/core';
import { agentAuthor } from './author-of.ts';

const POLL_MS = 2_000;

export interface WorldNotesPorts {
  readonly db: Db;
  readonly source: AgentSource;
  readonly log: Log;
  /** Hears every durable event of the world. */
  readonly onWorldEvent: (hear: (event: WorldEvent) => void) => void;
  /** Where an agent stands. */
  readonly whereIs: (agentId: string) => Promise<Place | null>;
  /** Hears that posts were written. */
  readonly onPosted: () => void;
}

async function postOf({ seq, agentId, text }: WorldNote, { source, whereIs }: WorldNotesPorts): Promise<NewPost> {
  // An agent whose resource is gone has still pinned its note.
  const by: Byline = agentAuthor(agentId, source)?.by ?? {
    authorType: 'agent',
    authorId: agentId,
    authorName: agentId,
    authorTier: null,
  };
  const place = await whereIs(agentId);
  return {
    by,
    audience: 'public',
    title: titleOfNote(text),
    body: text,
    tags: ['note'],
    mentions: [],
    worldSeq: seq,
    place: place === null ? null : { x: place.x, y: place.y, landmarkId: place.landmark_id },
  };
}

/** Writes the posts of notes that have none yet, in one transaction with how far the log of the world was read. Returns how many, and whether there may be more. */
async function postNotes(tx: Tx, ports: WorldNotesPorts): Promise<{ readonly posted: number; readonly more: boolean }> {
  await setViewer(tx, VILLAGE);
  const taken = await takeWorldNotes(tx);
  if (taken === null || taken.upTo === taken.from) return { posted: 0, more: false };
  for (const note of taken.notes) {
    const post = await insertPost(tx, await postOf(note, ports));
    if (post === null) continue;
    const detail = { audience: 'public', title: post.title, author_type: 'agent', world_seq: note.seq };
    const acting = {
      actor: { role: 'agent', id: `agent ${note.agentId}` },
      requestId: randomUUID(),
      traceparent: null,
    };
    await recordAct(tx, acting, { action: 'board.post', object: post.postId, detail });
  }
  await moveWorldCursor(tx, taken.upTo);
  return { posted: taken.notes.length, more: true };
}

/**
 * Makes a post of every note that an agent pins to the notice board in the world: from the world's own log, behind a cursor, so that each becomes one
 * post, whatever fails. Replicas share the work.
 */
export function startWorldNotes(ports: WorldNotesPorts): { stop(): Promise<void> } {
  let stopped = false;
  let again = false;
  let working: Promise<void> | null = null;

  async function work(): Promise<void> {
    do {
      again = false;
      const { posted, more } = await inTransaction(ports.db, (tx) => postNotes(tx, ports));
      if (posted > 0) ports.onPosted();
      again ||= more && !stopped;
    } while (again);
  }
  function nudge(): void {
    again = true;
    working ??= work()
      .catch((error: unknown) => ports.log('warn', 'notes of the world wait for the database', { error }))
      .finally(() => {
        working = null;
      });
  }
  ports.onWorldEvent((event) => {
    if (event.kind === 'use_board' && event.text !== null) nudge();
  });
  const timer = setInterval(nudge, POLL_MS);
  nudge();
  return {
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await working;
    },
  };
}
