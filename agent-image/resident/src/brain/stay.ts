import { z } from 'zod';
import { shortened } from './words.ts';

/** Things that one entry of the diary tells; what happens beyond them is counted. */
export const TOLD_MAX = 12;
const TOLD_CHARS = 220;

const Clock = z.strictObject({ day: z.int().min(0), minute: z.int().min(0).max(1_439) });
export type Clock = Readonly<z.infer<typeof Clock>>;

/** One stay of an agent, the way there with it, as it lies in memory while it lasts. */
export const Stay = z.strictObject({
  /** The turn that it began with. */
  id: z.string().max(64),
  /** The landmark where it is or goes; null out of doors. */
  place: z.string().max(64).nullable(),
  name: z.string().max(120),
  from: Clock,
  to: Clock,
  /** What happened, in sentences, each once. */
  did: z.array(z.string().max(TOLD_CHARS)).max(TOLD_MAX),
  /** How much happened beyond that. */
  more: z.int().min(0),
});
export type Stay = Readonly<z.infer<typeof Stay>>;

/** One turn as far as the diary needs it. */
export interface StayTurn {
  readonly turnId: string;
  readonly clock: Clock;
  readonly place: string | null;
  readonly name: string;
  /** A whole sentence; null for a turn in which nothing happened. */
  readonly happening: string | null;
}

/** The stay after a turn: the one before goes on as long as the place is the same. `ended` is the one before where it does not. Pure. */
export function stayAfter(
  before: Stay | null,
  { turnId, clock, place, name, happening }: StayTurn,
): { readonly stay: Stay; readonly ended: Stay | null } {
  const goesOn = before !== null && before.place === place;
  const stay = goesOn
    ? { ...before, to: clock }
    : { id: turnId, place, name: shortened(name, 120), from: clock, to: clock, did: [], more: 0 };
  return {
    stay: withHappening(stay, happening),
    ended: goesOn ? null : before === null ? null : { ...before, to: clock },
  };
}

function withHappening(stay: Stay, happening: string | null): Stay {
  const told = happening === null ? null : shortened(happening, TOLD_CHARS);
  if (told === null || stay.did.includes(told)) return stay;
  return stay.did.length < TOLD_MAX ? { ...stay, did: [...stay.did, told] } : { ...stay, more: stay.more + 1 };
}

/** A stay as one entry of the diary, in whole sentences. Pure. */
export function diaryEntry({ name, from, to, did, more }: Stay): string {
  const told = did.length === 0 ? 'Nothing happened.' : did.join(' ');
  const rest = more === 0 ? '' : more === 1 ? ' One more thing happened.' : ` And ${more} more things happened.`;
  return `Day ${from.day}, ${timeInWords(from, to)}, ${name}: ${told}${rest}`;
}

function timeInWords(from: Clock, to: Clock): string {
  const [begin, end] = [clockInWords(from), clockInWords(to)];
  if (from.day !== to.day) return `${begin} to day ${to.day}, ${end}`;
  return begin === end ? begin : `${begin} to ${end}`;
}

function clockInWords({ minute }: Clock): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}
