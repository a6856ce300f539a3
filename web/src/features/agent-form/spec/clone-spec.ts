import type { Json } from '../../../client/json.ts';
import { textAt } from './edit-spec.ts';

/** Parts that belong to one agent: its life and its house. */
const OWN_PARTS: ReadonlySet<string> = new Set(['power', 'rebootedAt', 'home']);

/** The spec of a copy, whose title says that it is one. */
export function cloneSpec(spec: Json, name: string): Json {
  const title = textAt(spec, ['displayName']);
  const kept = Object.entries(spec).filter(([key]) => !OWN_PARTS.has(key));
  return { ...Object.fromEntries(kept), displayName: `${title === '' ? name : title} (copy)` };
}
