import type { AuctionState, BidOutcome } from '@hamlet/contract';
import type { Tone } from '../../ui/controls.tsx';
import type { Checked } from '../../client/drafts.ts';

export const AUCTION_LABELS: Readonly<Record<AuctionState, { readonly word: string; readonly tone: Tone }>> = {
  open: { word: 'Open', tone: 'waiting' },
  sold: { word: 'Sold', tone: 'good' },
  unsold: { word: 'No bids', tone: 'sleep' },
  cancelled: { word: 'Cancelled', tone: 'bad' },
  lapsed: { word: 'Lapsed', tone: 'bad' },
};

export const BID_LABELS: Readonly<Record<BidOutcome, string>> = {
  open: 'open',
  replaced: 'replaced by a higher bid of the agent',
  won: 'won',
  lost: 'lost',
  passed_over: 'not awarded: the agent could not use the window',
  returned: 'returned',
};

/** The fields of an auction while a person writes it. Times are local, as in the browser's fields. */
export interface AuctionDraft {
  readonly lane: string;
  readonly startsAt: string;
  readonly hours: string;
  readonly closesAt: string;
  readonly reserve: string;
  readonly note: string;
}
type AuctionReading = Checked<{ starts_at: string; ends_at: string; closes_at: string }>;

export function readAuction({ lane, startsAt, hours, closesAt }: AuctionDraft, nowMs: number): AuctionReading {
  const startMs = Date.parse(startsAt);
  const closeMs = Date.parse(closesAt);
  const lengthMs = /^[0-9]{1,3}$/.test(hours.trim()) ? Number(hours) * 3_600_000 : 0;
  if (lane === '') return { ok: false, problem: 'Choose a GPU' };
  if (Number.isNaN(startMs) || startMs <= nowMs) return { ok: false, problem: 'The window must begin in the future' };
  if (lengthMs === 0) return { ok: false, problem: 'Write the number of hours' };
  if (Number.isNaN(closeMs) || closeMs <= nowMs || closeMs >= startMs)
    return { ok: false, problem: 'Bidding must end in the future, before the window begins' };
  return {
    ok: true,
    starts_at: new Date(startMs).toISOString(),
    ends_at: new Date(startMs + lengthMs).toISOString(),
    closes_at: new Date(closeMs).toISOString(),
  };
}

export function localField(atMs: number): string {
  return new Date(atMs - new Date(atMs).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
