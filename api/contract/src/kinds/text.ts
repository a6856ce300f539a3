import * as z from 'zod';
import { guarded } from './guarded.ts';

/** Longer than any valid value, so that an invalid one fails its pattern, whose message says what to write. */
export const SHORT_CHARS = 64;

/** `kubectl apply` stores a copy of the object in an annotation of at most 256 KiB. */
export const MAX_PROSE_CHARS = 16_384;

const characters = (value: string): number => [...value].length;

/** A text with at most `max` code points, as the API server counts. */
export function text(max: number, min = 0): z.ZodString {
  return z
    .string()
    .refine((value) => characters(value) <= max, { message: `Too long: may not be more than ${max} characters` })
    .refine((value) => characters(value) >= min, { message: `Too short: write at least ${min} characters` })
    .meta(min === 0 ? { maxLength: max } : { maxLength: max, minLength: min });
}

/** `pattern` means the same in RE2 and in JavaScript. */
export function matching(pattern: string, max: number, message: string): z.ZodString {
  const compiled = new RegExp(pattern, 'u');
  return guarded(text(max), [
    { holds: (value) => compiled.test(value), rule: `self.matches('${pattern.replaceAll('\\', '\\\\')}')`, message },
  ]);
}

export const ObjectName = matching(
  '^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$',
  253,
  "write an object's name: lower case letters, digits, '-' and '.', for example tier-1",
);

export const WorldId = matching(
  '^[a-z0-9]+([-_][a-z0-9]+)*$',
  63,
  "write an id of the world: lower case letters and digits in words joined by '-' or '_', for example home-3",
);

/** RFC 3339 time, as `kubectl rollout restart` writes it. */
export const Timestamp = matching(
  '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$',
  SHORT_CHARS,
  'write a time such as 2026-11-22T09:30:00Z',
);

const AMOUNT = '(0|[1-9][0-9]{0,11})([.][0-9]{1,6})?';

export const Price = matching(
  `^${AMOUNT}$`,
  SHORT_CHARS,
  'write an amount of aiDollars with at most six places, in quotes, for example "0.25"',
);

export const Balance = matching(
  `^-?${AMOUNT}$`,
  SHORT_CHARS,
  'write a number of aiDollars with at most six places, in quotes, for example "12.5"',
);

export const ByteQuantity = matching(
  '^[1-9][0-9]{0,6}(Mi|Gi|Ti)$',
  SHORT_CHARS,
  'write a size in Mi, Gi or Ti, for example 512Mi or 2Gi',
);

/** Whole cores or thousandths. */
export const CpuQuantity = matching(
  '^[1-9][0-9]{0,5}m?$',
  SHORT_CHARS,
  'write cores or thousandths of a core, in quotes, for example "2" or 500m',
);

const MILLIS = { h: 3_600_000, m: 60_000, s: 1_000 } as const;

/** Milliseconds of a duration such as `1h30m`, which {@link Duration} has accepted. */
export function durationMs(duration: string): number {
  let total = 0;
  for (const [, count, unit] of duration.matchAll(/([0-9]+)(h|m|s)/g))
    total += Number(count) * MILLIS[unit as keyof typeof MILLIS];
  return total;
}

const DURATION_MESSAGE = 'write a duration of at least one second, for example 30s or 1h30m';

/** At least one second. */
export const Duration = guarded(text(SHORT_CHARS), [
  {
    holds: (value) => /^([0-9]{1,6}(h|m|s))+$/.test(value) && durationMs(value) >= 1_000,
    rule: "self.matches('^([0-9]{1,6}(h|m|s))+$') && duration(self) >= duration('1s')",
    message: DURATION_MESSAGE,
  },
]);

const knowsTimeZone = (timeZone: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

const TIME_ZONE = '^(UTC|[A-Z][A-Za-z_]+(/[A-Za-z0-9_+-]+)+)$';

export const TimeZone = guarded(text(SHORT_CHARS), [
  {
    holds: (value) => new RegExp(TIME_ZONE).test(value) && knowsTimeZone(value),
    rule: `self.matches('${TIME_ZONE}') && timestamp('2026-01-01T00:00:00Z').getHours(self) >= 0`,
    message: 'write UTC or a time zone of the IANA database, for example Europe/Zurich',
  },
]);
