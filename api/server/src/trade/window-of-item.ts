import type { PurchaseItem } from '@hamlet/contract';
import { windowFault } from '@hamlet/core';
import { databaseNow, lastsUntil } from '@hamlet/store';
import type { Db } from '@hamlet/store';
import { accepted, refused } from '../http/outcome.ts';
import type { Outcome } from '../http/outcome.ts';

const SECOND_MS = 1_000;

/** From when until when something is bought, and the moment at which that was found, all by the database's clock. */
export interface PurchaseTimes {
  readonly now: Date;
  readonly startsAt: Date;
  readonly endsAt: Date;
}

/** Twice the same model or priority at one time would be nothing for money: what is bought again follows what lasts. */
async function startOf(
  db: Db,
  { agentId, item, now }: { readonly agentId: string | null; readonly item: PurchaseItem; readonly now: Date },
): Promise<Date> {
  if (item.kind === 'gpu') return item.starts_at === undefined ? now : new Date(item.starts_at);
  if (item.kind === 'quota' || agentId === null) return now;
  return (await lastsUntil(db, agentId, item)) ?? now;
}

/** When a purchase begins and ends, by the database's clock. */
export async function timesOfPurchase(
  db: Db,
  bought: { readonly agentId: string | null; readonly item: PurchaseItem; readonly seconds: number },
): Promise<Outcome<PurchaseTimes>> {
  const now = await databaseNow(db);
  const startsAt = await startOf(db, { ...bought, now });
  const endsAt = new Date(startsAt.getTime() + bought.seconds * SECOND_MS);
  const fault = windowFault({ startsMs: startsAt.getTime(), endsMs: endsAt.getTime() }, now.getTime());
  return fault === null ? accepted({ now, startsAt, endsAt }) : refused('window_out_of_range', fault);
}
