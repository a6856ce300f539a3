import type { TelemetrySink } from '../bus.ts';
import type { TelemetryEvent } from '../event.ts';

/** Sends events to the API of the village, at most 100 at once. Rejects if the API did not take them. */
export type SendEvents = (events: readonly TelemetryEvent[], signal: AbortSignal) => Promise<void>;

const LINGER_MS = 250;

/** Hands events to the village. */
export const apiSink = (send: SendEvents): TelemetrySink => ({ name: 'api', lingerMs: LINGER_MS, write: send });
