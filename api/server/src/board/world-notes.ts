import type { Place, WorldEvent } from '@hamlet/contract';
import { insertPost, inTransaction, setViewer, moveWorldCursor, takeWorldNotes, VILLAGE } from '@hamlet/store';
import type { Byline, Db, NewPost, Tx, WorldNote } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';
import { actingAs, recordAct } from '../audit/record-act.ts';
import { job, type Job } from '../service/jobs.ts';
import { coalesce } from '../service/single-flight.ts';
import { titleOfNote } from '@hamlet/core';
import { agentAuthor } from './author-of.ts';

const EVERY_MS = 2_000;

interface WorldNotesPorts {
  readonly db: Db;
  readonly source: AgentSource;
  readonly onWorldEvent: (listener: (event: WorldEvent) => void) => void;
  readonly whereIs: (agentId: string) => Promise<Place | null>;
  readonly onPosted: () => void;
}

async function postOf({ seq, agentId, text }: WorldNote, { source, whereIs }: WorldNotesPorts): Promise<NewPost> {
  // A note is posted even if its author's custom resource is gone.
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

/** The posts commit together with the cursor on the world's events. `more` is true if further notes may wait. */
async function postNotes(tx: Tx, ports: WorldNotesPorts): Promise<{ readonly posted: number; readonly more: boolean }> {
  await setViewer(tx, VILLAGE);
  const taken = await takeWorldNotes(tx);
  if (taken === null || taken.upTo === taken.from) return { posted: 0, more: false };
  for (const note of taken.notes) {
    const post = await insertPost(tx, await postOf(note, ports));
    if (post === null) continue;
    const detail = { audience: 'public', title: post.title, author_type: 'agent', world_seq: note.seq };
    await recordAct(tx, actingAs('agent', `agent ${note.agentId}`), {
      action: 'board.post',
      object: post.postId,
      detail,
    });
  }
  await moveWorldCursor(tx, taken.upTo);
  return { posted: taken.notes.length, more: true };
}

/**
 * Posts each note from the world's notice board exactly once, even after a crash: a cursor on the world's events moves
 * in the transaction of the posts. Replicas share the work.
 */
export function startWorldNotes(ports: WorldNotesPorts): { readonly jobs: readonly Job[]; stop(): Promise<void> } {
  let stopped = false;
  let working = Promise.resolve();
  const work = coalesce(async () => {
    for (let more = true; more && !stopped;) {
      const taken = await inTransaction(ports.db, (tx) => postNotes(tx, ports));
      if (taken.posted > 0) ports.onPosted();
      more = taken.more;
    }
  });
  const nudge = (): void => {
    // The job retries, and logs an error that persists.
    working = work().catch(() => undefined);
  };
  ports.onWorldEvent((event) => {
    if (event.kind === 'use_board' && event.text !== null) nudge();
  });
  nudge();
  return {
    jobs: [job({ name: 'world-notes', everyMs: EVERY_MS, run: work })],
    stop: async () => {
      stopped = true;
      await working;
    },
  };
}
