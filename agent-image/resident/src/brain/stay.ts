import { z } from 'zod';
import { clockInWords, shortened } from './words.ts';

/** Maximum number of events in one diary entry; the entry states the number of omitted ones. */
export const EVENTS_MAX = 12;
const EVENT_CHARS = 220;

const Clock = z.strictObject({ day: z.int().min(0), minute: z.int().min(0).max(1_439) });
export type Clock = Readonly<z.infer<typeof Clock>>;

/** A stay at one place, including the way there, as the memory file stores it while it lasts. */
export const Stay = z.strictObject({
  id: z.string().max(64),
  place: z.string().max(64).nullable(),
  name: z.string().max(120),
  from: Clock,
  to: Clock,
  did: z.array(z.string().max(EVENT_CHARS)).max(EVENTS_MAX),
  more: z.int().min(0),
});
export type Stay = Readonly<z.infer<typeof Stay>>;

export interface StayTurn {
  readonly turnId: string;
  readonly clock: Clock;
  readonly place: string | null;
  readonly name: string;
  readonly event: string | null;
}

/** The stay after a turn. The earlier stay continues while the place is the same; otherwise `ended` is the earlier stay. */
export function stayAfter(
  before: Stay | null,
  { turnId, clock, place, name, event }: StayTurn,
): { readonly stay: Stay; readonly ended: Stay | null } {
  const current = before === null ? null : { ...before, to: clock };
  if (current !== null && current.place === place) return { stay: withEvent(current, event), ended: null };
  const begun: Stay = { id: turnId, place, name: shortened(name, 120), from: clock, to: clock, did: [], more: 0 };
  return { stay: withEvent(begun, event), ended: current };
}

function withEvent(stay: Stay, event: string | null): Stay {
  const text = event === null ? null : shortened(event, EVENT_CHARS);
  if (text === null || stay.did.includes(text)) return stay;
  return stay.did.length < EVENTS_MAX ? { ...stay, did: [...stay.did, text] } : { ...stay, more: stay.more + 1 };
}

export function diaryEntry({ name, from, to, did, more }: Stay): string {
  const events = did.length === 0 ? 'Nothing happened.' : did.join(' ');
  const rest = more === 0 ? '' : more === 1 ? ' One more thing happened.' : ` And ${more} more things happened.`;
  return `Day ${from.day}, ${timeInWords(from, to)}, ${name}: ${events}${rest}`;
}

function timeInWords(from: Clock, to: Clock): string {
  const [begin, end] = [clockInWords(from.minute), clockInWords(to.minute)];
  if (from.day !== to.day) return `${begin} to day ${to.day}, ${end}`;
  return begin === end ? begin : `${begin} to ${end}`;
}
