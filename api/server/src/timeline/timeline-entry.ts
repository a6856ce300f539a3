import { FLAG_OF_MEASURE, type StateOfAgent, TIMELINE_TEXT_MAX_CHARS, type TimelineEntry } from '@hamlet/contract';
import { shorten } from '@hamlet/core';
import type { TimelinePlace, TimelineRows } from '@hamlet/store';
import type { Actor } from '../http/actor.ts';
import { entryView } from '../money/ledger/entry-view.ts';
import { purchaseView } from '../money/market/purchase-view.ts';
import { shownRunView } from '../runs/audience/run-audience.ts';
import { seesTexts } from '../runs/audience/veil.ts';
import { chatSessionView } from '../sessions/transcript/session-view.ts';

const EMPTY = {
  session: null,
  run: null,
  firing: null,
  post: null,
  purchase: null,
  judgement: null,
  state: null,
} as const;
const NO_MEASURE = { reason: null, expires_at: null, lifted_at: null } as const;

type Shown = Omit<TimelineEntry, 'id'> | null;

interface Reader {
  readonly agentId: string;
  readonly actor: Actor;
}

type View = (id: string, rows: TimelineRows, reader: Reader) => Shown;

const session: View = (id, { sessions }) => {
  const row = sessions.get(id);
  return row === undefined
    ? null
    : { ...EMPTY, kind: 'session', at: row.createdAt.toISOString(), session: chatSessionView(row) };
};

const run: View = (id, { runs }, { actor }) => {
  const row = runs.get(id);
  if (row === undefined) return null;
  // The query has already left out the runs of sessions that the reader is not in.
  const shown = shownRunView({ row, veiled: !seesTexts(actor, row, true) });
  return { ...EMPTY, kind: 'run', at: row.createdAt.toISOString(), run: shown };
};

const firing: View = (id, { firings }) => {
  const row = firings.get(id);
  if (row === undefined) return null;
  const at = row.firedAt.toISOString();
  const { firingId, scheduleUid, slot, runId, outcome } = row;
  const shown = { firing_id: firingId, schedule_uid: scheduleUid, slot: slot.toISOString(), fired_at: at };
  return { ...EMPTY, kind: 'firing', at, firing: { ...shown, run_id: runId, outcome } };
};

const post: View = (id, { content }) => {
  const row = content.posts.find(({ postId }) => postId === id);
  if (row === undefined) return null;
  const shown = { post_id: id, reply_id: null, title: row.title, text: shorten(row.body, TIMELINE_TEXT_MAX_CHARS) };
  return { ...EMPTY, kind: 'post', at: row.createdAt, post: shown };
};

const reply: View = (id, { content }) => {
  const row = content.replies.find(({ replyId }) => replyId === id);
  const thread = content.posts.find(({ postId }) => postId === row?.postId);
  if (row === undefined || thread === undefined) return null;
  const text = shorten(row.body, TIMELINE_TEXT_MAX_CHARS);
  const shown = { post_id: row.postId, reply_id: id, title: thread.title, text };
  return { ...EMPTY, kind: 'post', at: row.createdAt, post: shown };
};

const purchase: View = (id, { purchases }) => {
  const row = purchases.get(id);
  return row === undefined
    ? null
    : { ...EMPTY, kind: 'purchase', at: row.boughtAt.toISOString(), purchase: purchaseView(row) };
};

const judgement: View = (id, { judgements }, { agentId }) => {
  const row = judgements.get(id);
  return row === undefined
    ? null
    : { ...EMPTY, kind: 'judgement', at: row.createdAt, judgement: entryView(agentId, row) };
};

const measure: View = (id, { measures }) => {
  const row = measures.get(id);
  if (row === undefined) return null;
  const state: StateOfAgent = {
    state: FLAG_OF_MEASURE[row.measure],
    by: { role: row.byRole, id: row.byId },
    reason: row.reason,
    expires_at: row.expiresAt?.toISOString() ?? null,
    lifted_at: row.liftedAt?.toISOString() ?? null,
    tier: null,
  };
  return { ...EMPTY, kind: 'state', at: row.since.toISOString(), state };
};

const pause: View = (id, { pauses }) => {
  const row = pauses.get(id);
  if (row === undefined) return null;
  const state: StateOfAgent = {
    state: 'paused',
    by: null,
    reason: `${row.node} is short of memory`,
    expires_at: null,
    lifted_at: row.endedAt?.toISOString() ?? null,
    tier: null,
  };
  return { ...EMPTY, kind: 'state', at: row.since.toISOString(), state };
};

const STATE_OF_ACT = {
  awaken: 'awakened',
  suspend: 'suspended',
  reboot: 'rebooted',
  sleep_idle: 'fell_asleep',
  wake_idle: 'woke_up',
  'tier.balance': 'tier',
} as const;

const audit: View = (id, { acts }, { actor }) => {
  const row = acts.get(id);
  if (row === undefined) return null;
  const by = actor.role === 'admin' ? { role: row.actorRole, id: row.actorId } : null;
  const state = { ...NO_MEASURE, state: STATE_OF_ACT[row.action], by, tier: row.tier };
  return { ...EMPTY, kind: 'state', at: row.at.toISOString(), state };
};

const VIEWS: Readonly<Record<TimelinePlace['source'], View>> = {
  session,
  run,
  firing,
  post,
  reply,
  purchase,
  judgement,
  measure,
  pause,
  audit,
};

/** A row of a timeline as its reader sees it; null for a row that is gone or that the reader may not see. Pure. */
export function entryOf({ source, id }: TimelinePlace, rows: TimelineRows, reader: Reader): TimelineEntry | null {
  const shown = VIEWS[source](id, rows, reader);
  return shown === null ? null : { id, ...shown };
}
