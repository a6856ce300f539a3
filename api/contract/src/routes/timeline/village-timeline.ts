import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { Artifact } from '../../values/artifact.ts';
import { Run } from '../../values/run/run.ts';
import { AgentId, NEXT_CURSOR, paging, Time } from '../../values/scalars.ts';
import { LedgerEntry } from '../economy.ts';
import { PurchaseView } from '../trade/purchases.ts';

export const VILLAGE_TIMELINE_KINDS = ['run', 'delivery', 'purchase', 'judgement'] as const;
export type VillageTimelineKind = (typeof VILLAGE_TIMELINE_KINDS)[number];

/** An act of an agent or a judgement of it; the field that `kind` names is set. */
export const VillageTimelineEntry = z.strictObject({
  id: z.uuid().describe('Id of the row that the entry shows'),
  kind: z.enum(VILLAGE_TIMELINE_KINDS),
  agent_id: AgentId,
  at: Time,
  run: Run.nullable(),
  delivery: Artifact.nullable(),
  purchase: PurchaseView.nullable(),
  judgement: LedgerEntry.nullable(),
});
export type VillageTimelineEntry = z.infer<typeof VillageTimelineEntry>;

export const getVillageTimeline = defineRoute('getVillageTimeline GET /timeline', {
  tag: 'sessions',
  permission: 'runs:read',
  summary: 'Runs, deliverables, purchases, rewards and penalties of all agents that the caller may read, newest first',
  query: z.strictObject(paging()),
  answer: json(z.strictObject({ entries: z.array(VillageTimelineEntry), ...NEXT_CURSOR })),
  reasons: ['cursor_invalid'],
});
