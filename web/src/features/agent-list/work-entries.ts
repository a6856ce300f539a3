import type { Artifact, LedgerEntry, PurchaseView, Run, VillageTimelineEntry } from '@hamlet/contract';
import { isSettled, purchaseText, shorten, titleFrom } from '@hamlet/core';
import { moneyLabel } from '../../client/labels.ts';
import type { Place } from '../../client/url-state.ts';

/** An act or a wait of an agent, in words that follow its name. `open` is the page that shows more. */
export interface WorkEntry {
  readonly id: string;
  readonly kind: 'run' | 'done' | 'failed' | 'stopped' | 'wait' | 'purchase' | 'delivery' | 'judgement';
  readonly agentId: string;
  readonly text: string;
  readonly atMs: number;
  readonly open: Partial<Place>;
}

/** The acts of agents as lines, the newest first: a run counts from its last change. */
export function workEntries(entries: readonly VillageTimelineEntry[]): readonly WorkEntry[] {
  return entries.flatMap((entry) => lineOf(entry) ?? []).toSorted((left, right) => right.atMs - left.atMs);
}

function lineOf({ run, delivery, purchase, judgement }: VillageTimelineEntry): WorkEntry | null {
  if (run !== null) return ofRun(run);
  if (delivery !== null) return ofDelivery(delivery);
  if (purchase !== null) return ofPurchase(purchase);
  return judgement === null ? null : ofJudgement(judgement);
}

const ENDS = { done: 'finished', failed: 'could not finish', cancelled: 'was stopped during' } as const;

const KINDS = { done: 'done', failed: 'failed', cancelled: 'stopped' } as const;

function ofRun(run: Run): WorkEntry {
  const { run_id: id, state, ended_at: ended, started_at: started, created_at: created } = run;
  const task = run.veiled === true ? 'a private task' : `“${titleFrom(run.prompt)}”`;
  const waits = state === 'waiting_permission';
  const verb = waits ? 'waits for a person during' : started === null ? 'will work on' : 'works on';
  return {
    id: `run ${id}`,
    kind: isEnded(state) ? KINDS[state] : waits ? 'wait' : 'run',
    agentId: run.agent_id,
    text: `${isEnded(state) ? ENDS[state] : verb} ${task}`,
    atMs: Date.parse(ended ?? started ?? created),
    open: waits ? { view: 'needs' } : { view: 'runs', run: id },
  };
}

const isEnded = (state: Run['state']): state is keyof typeof ENDS => isSettled(state);

function ofPurchase({ purchase_id: id, agent_id: agentId, item, price, bought_at: at }: PurchaseView): WorkEntry {
  const text = `bought ${item.kind === 'gpu' ? 'GPU time' : purchaseText(item)} for ${moneyLabel(price)}`;
  return { id: `purchase ${id}`, kind: 'purchase', agentId, text, atMs: Date.parse(at), open: { view: 'market' } };
}

function ofDelivery(artifact: Artifact): WorkEntry {
  const { artifact_id: id, agent_id: agentId, run_id: run, name, version, kept_at: at } = artifact;
  const text = `delivered ${name}${version === null || version === 1 ? '' : `, version ${version}`}`;
  return { id: `delivery ${id}`, kind: 'delivery', agentId, text, atMs: Date.parse(at), open: { view: 'runs', run } };
}

const NOTE_MAX_CHARS = 120;

function ofJudgement({ ledger_entry_id: id, agent_id: agentId, amount, note, timestamp: at }: LedgerEntry): WorkEntry {
  const verb = amount.startsWith('-') ? 'lost' : 'got';
  const text = `${verb} ${moneyLabel(amount.replace('-', ''))}${note === '' ? '' : `: ${shorten(note, NOTE_MAX_CHARS)}`}`;
  return { id: `judgement ${id}`, kind: 'judgement', agentId, text, atMs: Date.parse(at), open: { view: 'ledger' } };
}

/** The largest share of the feed's lines that show events on the map: more would hide the work. */
const WORLD_SHARE = 0.5;

/** The newest lines of work and of the world together, newest first. */
export function mergedFeed<W extends { readonly atMs: number }, F extends { readonly atMs: number }>(
  work: readonly W[],
  world: readonly F[],
  max: number,
): readonly (W | F)[] {
  const least = work.length === 0 ? max : Math.ceil(max * WORLD_SHARE);
  const shownWorld = world.slice(0, Math.max(least, max - work.length));
  return [...work.slice(0, max - Math.min(shownWorld.length, least)), ...shownWorld]
    .toSorted((left, right) => right.atMs - left.atMs)
    .slice(0, max);
}
