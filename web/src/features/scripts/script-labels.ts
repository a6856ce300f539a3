import type { Script, ScriptParameters } from '@hamlet/contract';

export function lastRunLabel({ outcome }: NonNullable<Script['last_run']>): string {
  if (outcome === null) return 'it has not ended, or its end is unknown';
  if (outcome.kind === 'ok') return 'it ended without an error';
  return outcome.code === undefined ? 'it failed' : `it failed (${outcome.code})`;
}

export function parameterLabels({ properties, required }: ScriptParameters): readonly string[] {
  return Object.entries(properties).map(
    ([name, { type }]) => `${name} (${type}${required.includes(name) ? '' : ', optional'})`,
  );
}
