import type { Audience, Present } from './memory.ts';

/**
 * True if everyone who is present may know what is for `audience`. Where anyone may be present, only what is for everybody may be known.
 * The API has the same rule for memories of repositories (`@hamlet/core`). Pure.
 */
export function mayAllKnow(audience: Audience, present: Present): boolean {
  if (present === 'keeper' || audience === 'public') return true;
  if (present === 'public' || present.length === 0) return false;
  return present.every((person) => audience.includes(person));
}
