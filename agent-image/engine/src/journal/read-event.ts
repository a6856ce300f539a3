import { EVENT_TYPES, EVENT_VERSION, JournalEvent } from './event.ts';

const MAX_ISSUES = 3;

export type RawEvent = Readonly<Record<string, unknown>>;

/** For each version, the function that makes an event of the next version. */
export type Upcasts = Readonly<Record<number, (event: RawEvent) => RawEvent>>;

/** One for each version before `EVENT_VERSION`. */
export const UPCASTS: Upcasts = {
  1: (event) => ({ ...event, v: 2, ...(event['type'] === 'permission_answered' ? { words: null } : {}) }),
  2: (event) => ({ ...event, v: 3, ...addedIn3(event) }),
  // Version 4 adds a kind of event, version 5 a kind and a field that may be absent, version 6 such fields, version 7 both, version 8 such fields.
  3: (event) => ({ ...event, v: 4 }),
  4: (event) => ({ ...event, v: 5 }),
  5: (event) => ({ ...event, v: 6 }),
  6: (event) => ({ ...event, v: 7 }),
  7: (event) => ({ ...event, v: 8 }),
};

function addedIn3({ type, calls, outcome }: RawEvent): RawEvent {
  switch (type) {
    case 'model_answered':
      return { finish: Array.isArray(calls) && calls.length > 0 ? 'tool_calls' : 'stop' };
    case 'model_failed':
      return { retryAfterMs: null };
    case 'tool_settled':
      return { polls: false };
    case 'run_closed':
      return isFailed(outcome) ? { outcome: { ...outcome, answer: null } } : {};
    default:
      return {};
  }
}

const isFailed = (outcome: unknown): outcome is RawEvent =>
  typeof outcome === 'object' && outcome !== null && 'kind' in outcome && outcome.kind === 'failed';

export type ReadEvent =
  | Readonly<{ ok: true; event: JournalEvent }>
  /** `journal_newer`: a newer engine wrote the event. `journal_damaged`: no engine wrote this. */
  | Readonly<{ ok: false; code: 'journal_newer' | 'journal_damaged'; message: string }>;

/** Reads a stored event of this or an older version. Refuses events of newer versions. */
export function readEvent(stored: RawEvent, upcasts: Upcasts = UPCASTS): ReadEvent {
  const version = stored['v'];
  if (typeof version !== 'number' || !Number.isSafeInteger(version)) return damaged('The event has no version.');
  if (version > EVENT_VERSION) return newer(`version ${version}`);
  const event = upcastFrom(version, stored, upcasts);
  if (event === null) return damaged(`This engine does not know events of version ${version}.`);
  const { type } = event;
  if (typeof type === 'string' && !EVENT_TYPES.includes(type)) return newer(`type ${type}`);
  const parsed = JournalEvent.safeParse(event);
  if (parsed.success) return { ok: true, event: parsed.data };
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  return damaged(`An event of type ${String(type)} is wrong: ${issues.slice(0, MAX_ISSUES).join('; ')}`);
}

function upcastFrom(version: number, stored: RawEvent, upcasts: Upcasts): RawEvent | null {
  let event = stored;
  for (let from = version; from < EVENT_VERSION; from += 1) {
    const upcast = upcasts[from];
    if (upcast === undefined) return null;
    event = upcast(event);
  }
  return event;
}

const damaged = (message: string): ReadEvent => ({ ok: false, code: 'journal_damaged', message });

const newer = (thing: string): ReadEvent => ({
  ok: false,
  code: 'journal_newer',
  message: `This engine writes version ${EVENT_VERSION} and found an event of ${thing}. Start a newer engine.`,
});
