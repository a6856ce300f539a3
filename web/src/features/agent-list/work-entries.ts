import type { Artifact, Permission, PurchaseView, Run } from '@hamlet/contract';
import { isSettled, purchaseText, titleFrom } from '@hamlet/core';
import { moneyLabel } from '../../client/labels.ts';
import type { Place } from '../../client/url-state.ts';
import { toolLabel } from '../permissions/tool-labels.ts';

/** An act or a wait of an agent, in words that follow its name. `open` is the page that shows more. */
export interface WorkEntry {
  readonly id: string;
  readonly kind: 'run' | 'done' | 'failed' | 'stopped' | 'wait' | 'purchase' | 'delivery';
  readonly agentId: string;
  readonly text: string;
  readonly atMs: number;
  readonly open: Partial<Place>;
}

interface Work {
  readonly runs: readonly Run[];
  readonly permissions: readonly Permission[];
  readonly purchases: readonly PurchaseView[];
  readonly deliveries: readonly Artifact[];
}

/** Runs, waits for people, purchases and deliveries as lines, newest first. */
export function workEntries({ runs, permissions, purchases, deliveries }: Work): readonly WorkEntry[] {
  const entries = [
    ...runs.map(ofRun),
    ...permissions.map(ofPermission),
    ...purchases.map(ofPurchase),
    ...deliveries.map(ofDelivery),
  ];
  return entries.toSorted((left, right) => right.atMs - left.atMs);
}

const ENDS = { done: 'finished', failed: 'could not finish', cancelled: 'was stopped during' } as const;

const KINDS = { done: 'done', failed: 'failed', cancelled: 'stopped' } as const;

function ofRun(run: Run): WorkEntry {
  const { run_id: id, state, ended_at: ended, started_at: started, created_at: created } = run;
  const task = run.veiled === true ? 'a private task' : `“${titleFrom(run.prompt)}”`;
  const verb = isEnded(state) ? ENDS[state] : started === null ? 'will work on' : 'works on';
  return {
    id: `run ${id}`,
    kind: isEnded(state) ? KINDS[state] : 'run',
    agentId: run.agent_id,
    text: `${verb} ${task}`,
    atMs: Date.parse(ended ?? started ?? created),
    open: { view: 'runs', run: id },
  };
}

function isEnded(state: Run['state']): state is keyof typeof ENDS {
  return isSettled(state);
}

function ofPermission({ permission_id: id, agent_id: agentId, why, tool, asked_at: at }: Permission): WorkEntry {
  const text = why === 'question' ? 'asks you a question' : `asks for permission: ${toolLabel(tool).word}`;
  const open: Partial<Place> = { view: 'needs' };
  return { id: `wait ${id}`, kind: 'wait', agentId, text, atMs: Date.parse(at), open };
}

function ofPurchase({ purchase_id: id, agent_id: agentId, item, price, bought_at: at }: PurchaseView): WorkEntry {
  const text = `bought ${item.kind === 'gpu' ? 'GPU time' : purchaseText(item)} for ${moneyLabel(price)}`;
  return { id: `purchase ${id}`, kind: 'purchase', agentId, text, atMs: Date.parse(at), open: { view: 'market' } };
}

function ofDelivery(artifact: Artifact): WorkEntry {
  const { artifact_id: id, agent_id: agentId, run_id: run, name, version, kept_at: at } = artifact;
  const text = `delivered ${name}${version === null || version === 1 ? '' : `, version ${version}`}`;
  return { id: `delivery ${id}`, kind: 'delivery', agentId, text, atMs: Date.parse(at), open: { view: 'runs', run } };
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
