import {
  type RoutePermission,
  VILLAGE_TIMELINE_KINDS,
  type VillageTimelineEntry,
  type VillageTimelineKind,
} from '@hamlet/contract';
import { cutPage, type Db, readJudgements, readPurchases, readRuns, readShownArtifacts } from '@hamlet/store';
import { z } from 'zod';
import { artifactView } from '../artifacts/artifact-view.ts';
import { readableKinds } from './readable-kinds.ts';
import type { Actor } from '../http/actor.ts';
import { plain, type Handlers } from '../http/handler.ts';
import { pageCursor, paged } from '../http/page-cursor.ts';
import { entryView } from '../money/ledger/entry-view.ts';
import { purchaseView } from '../money/market/purchase-view.ts';
import { shownRuns } from '../runs/audience/run-audience.ts';
import { withoutInputs } from '../runs/run-view.ts';
import type { Village } from '../village.ts';

const cursor = pageCursor(z.uuid());

/** The permissions of the routes that list these rows too. */
const PERMISSION_OF_KIND = {
  run: 'runs:read',
  delivery: 'runs:read',
  purchase: 'trade:read',
  judgement: 'ledger:read',
} as const satisfies Readonly<Record<VillageTimelineKind, RoutePermission>>;

const EMPTY = { run: null, delivery: null, purchase: null, judgement: null } as const;

interface Reading {
  readonly db: Db;
  readonly actor: Actor;
  readonly page: { readonly before: string | null; readonly limit: number };
}

/** The newest rows of each kind, each by the reader of its own list, which keeps the rules of its audience. */
const READERS: Readonly<
  Record<VillageTimelineKind, (reading: Reading) => Promise<readonly Omit<VillageTimelineEntry, 'kind'>[]>>
> = {
  run: async ({ db, actor, page }) => {
    const personId = actor.role === 'admin' ? undefined : actor.id;
    const { runs } = await readRuns(db, { personId }, page);
    const shown = await shownRuns(db, actor, runs);
    return shown.map((run) => {
      const { run_id: id, agent_id, created_at: at } = run;
      return { ...EMPTY, id, agent_id, at, run: withoutInputs(run) };
    });
  },
  delivery: async ({ db, actor, page }) => {
    const reader = { role: actor.role, id: actor.id };
    const { artifacts } = await readShownArtifacts(db, { agentId: null, deliverables: true, reader }, page);
    return artifacts.map(artifactView).map((delivery) => {
      const { artifact_id: id, agent_id, kept_at: at } = delivery;
      return { ...EMPTY, id, agent_id, at, delivery };
    });
  },
  purchase: async ({ db, page }) => {
    const { purchases } = await readPurchases(db, { agentId: undefined, state: undefined }, page);
    return purchases.map(purchaseView).map((purchase) => {
      const { purchase_id: id, agent_id, bought_at: at } = purchase;
      return { ...EMPTY, id, agent_id, at, purchase };
    });
  },
  judgement: async ({ db, page }) =>
    (await readJudgements(db, page)).map((row) => {
      const { transferId: id, agentId: agent_id, createdAt: at } = row;
      return { ...EMPTY, id, agent_id, at, judgement: entryView(agent_id, row) };
    }),
};

export function villageTimelineHandler({ db }: Village) {
  return {
    getVillageTimeline: plain(({ actor, query }) => {
      const kinds = readableKinds(actor, VILLAGE_TIMELINE_KINDS, PERMISSION_OF_KIND);
      return paged(
        cursor,
        { ...query, reader: actor.id, list: 'timeline of the village' },
        async ({ before, limit }) => {
          const reading = { db, actor, page: { before, limit: limit + 1 } };
          const parts = await Promise.all(
            kinds.map(async (kind) => (await READERS[kind](reading)).map((entry) => ({ ...entry, kind }))),
          );
          const newest = parts.flat().toSorted((left, right) => (left.id < right.id ? 1 : -1));
          const { rows: entries, next } = cutPage(newest, limit, ({ id }) => id);
          return { entries: [...entries], next };
        },
      );
    }),
  } satisfies Partial<Handlers>;
}
