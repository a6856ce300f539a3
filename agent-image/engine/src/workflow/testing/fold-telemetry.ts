import type { JournalEvent } from '../../journal/event.ts';
import { TelemetryEvent, type TelemetryOf, type TelemetryType } from '../telemetry/event.ts';
import {
  EMPTY_PROJECTION,
  project,
  type Projection,
  type ProjectionSources,
  type TelemetryNotice,
} from '../telemetry/project.ts';
import { aRef } from '../../testing/an-event.ts';

/** Texts by the names of their references. The model `test` costs a micro for a token of a prompt, and two for one of an answer. */
export const sourcesOf = (
  texts: Readonly<Record<string, unknown>>,
  fields: Partial<ProjectionSources> = {},
): ProjectionSources => ({
  textOf: (ref) => {
    const found = Object.entries(texts).find(([name]) => aRef(name) === ref);
    const [, text = null] = found ?? [];
    return text === null || typeof text === 'string' ? text : JSON.stringify(text);
  },
  costOf: (model, { prompt, completion }) => (model === 'test' ? prompt + 2 * completion : null),
  isSensitive: (tool) => tool === 'publish',
  ...fields,
});

export type Folded = Readonly<{ events: readonly TelemetryEvent[]; projection: Projection }>;

/** The events that notices stand for, each checked by its schema. */
export function fold(notices: readonly TelemetryNotice[], sources: ProjectionSources): Folded {
  let projection = EMPTY_PROJECTION;
  const events: TelemetryEvent[] = [];
  for (const notice of notices) {
    const projected = project(projection, notice, sources);
    ({ projection } = projected);
    events.push(...projected.events.map((event) => TelemetryEvent.parse(event)));
  }
  return { events, projection };
}

export const foldEvents = (events: readonly JournalEvent[], sources: ProjectionSources): Folded =>
  fold(
    events.map((event) => ({ type: 'event', event })),
    sources,
  );

export function only<T extends TelemetryType>({ events }: Folded, type: T): readonly TelemetryOf<T>[] {
  return events.filter((event): event is TelemetryOf<T> => event.type === type);
}
