import { faultIn, type ModelError } from '../chat/model-error.ts';
import { isLongNumber } from './json-text.ts';

const HIDDEN = '[hidden]';
/** Maximum number of characters of an error message for callers. */
const MESSAGE_CHARS_MAX = 600;
/** Shorter texts are not credentials, and hiding them would blank ordinary words. */
const SECRET_CHARS_MIN = 6;
/** Forms of keys and tokens that providers repeat in their errors, often with a part masked. */
const FORMS = /\b(?:sk|rk|pk|sess)-[\w*.-]{6,}|\bBearer\s+[\w.~+/*=-]{6,}|\beyJ[\w-]{10,}(?:\.[\w-]+){1,2}/g;

type Scrub = (text: string) => string;

/** Hides known credentials, also in their URL and JSON forms, and everything that looks like one. Pure. */
export function scrubber(secrets: readonly string[]): Scrub {
  const known = secrets
    .filter((secret) => secret.length >= SECRET_CHARS_MIN)
    .flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
    .toSorted((a, b) => b.length - a.length);
  return (text) => known.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text).replaceAll(FORMS, HIDDEN);
}

export interface Asked {
  readonly provider: string;
  readonly secrets: readonly string[];
  readonly signal: AbortSignal;
}

/** The error for callers, without credentials. Rethrows anything but a fault, because a bug must not look like an answer. */
export function callerError(thrown: unknown, { provider, secrets, signal }: Asked): ModelError {
  if (signal.aborted) return { code: 'cancelled', message: 'the caller cancelled the request', provider };
  const fault = faultIn(thrown);
  if (fault === null) throw thrown;
  const message = scrubber(secrets)(fault.message).slice(0, MESSAGE_CHARS_MAX).toWellFormed();
  return { code: fault.code, message, provider, ...fault.detail };
}

const DEPTH_MAX = 32;

/** True if the JSON of a value has nothing to hide. False if that is not sure: with many levels, or with an escape, which may be next to a credential. */
function isPlain(value: unknown, scrub: Scrub): boolean {
  const json = JSON.stringify(value) ?? '';
  return !json.includes('\\') && json.split(/[[{]/, DEPTH_MAX + 1).length <= DEPTH_MAX && scrub(json) === json;
}

/**
 * Hides credentials in every text of a value, keys included. An object or list below 32 levels is hidden whole. Pure.
 */
export const scrubDeep = (value: unknown, scrub: Scrub): unknown =>
  isPlain(value, scrub) ? value : scrubbed(value, scrub, 0);

function scrubbed(value: unknown, scrub: Scrub, depth: number): unknown {
  if (typeof value === 'string') return scrub(value);
  if (typeof value !== 'object' || value === null || isLongNumber(value)) return value;
  if (depth >= DEPTH_MAX) return HIDDEN;
  if (Array.isArray(value)) return value.map((item) => scrubbed(item, scrub, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [scrub(key), scrubbed(item, scrub, depth + 1)]));
}
