import type { Script, ScriptParameters } from '@hamlet/contract';

/** The end of the newest run of a script in words, as the agent claims it. Pure. */
export function lastRunLabel({ outcome }: NonNullable<Script['last_run']>): string {
  if (outcome === null) return 'it has not ended, or its end is unknown';
  if (outcome.kind === 'ok') return 'it ended without an error';
  return outcome.code === undefined ? 'it failed' : `it failed (${outcome.code})`;
}

/** The parameters of a script: `path (string)`, and `count (integer, optional)`. Pure. */
export function parameterLabels({ properties, required }: ScriptParameters): readonly string[] {
  return Object.entries(properties).map(
    ([name, { type }]) => `${name} (${type}${required.includes(name) ? '' : ', optional'})`,
  );
}
