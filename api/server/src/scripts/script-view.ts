import { createHash } from 'node:crypto';
import type { Script, SharedScript } from '@hamlet/contract';
import type { ScriptRow } from '@hamlet/store';
import { readArguments } from '../permissions/call-arguments.ts';
import { outcomeView } from '../permissions/call-outcomes.ts';

const VERSION_DIGITS = 32;

/** The version of a script: a hash of name, language, description, source and parameters. Pure. */
export function versionOf({ name, language, description, source, parameters }: SharedScript): string {
  const canonical = readArguments(JSON.stringify({ name, language, description, source, parameters }));
  if (canonical === null) throw new TypeError('a bug: a valid script could not be serialized as JSON');
  return createHash('sha256').update(canonical.text).digest('hex').slice(0, VERSION_DIGITS);
}

function lastRunOf({ lastRunId, lastCallId, lastRunAt, lastOutcome }: ScriptRow): Script['last_run'] {
  if (lastRunId === null || lastCallId === null || lastRunAt === null) return null;
  return {
    run_id: lastRunId,
    call_id: lastCallId,
    at: lastRunAt.toISOString(),
    outcome: outcomeView(lastOutcome),
  };
}

export function scriptView(row: ScriptRow): Script {
  return {
    name: row.name,
    agent_id: row.agentId,
    description: row.shown ? row.description : null,
    language: row.language,
    version: row.version,
    versions: row.versions,
    bytes: row.bytes,
    tainted: row.tainted,
    adopted_from: row.adoptedFrom,
    saved_at: row.savedAt.toISOString(),
    saved_in: row.savedIn,
    runs: row.runs,
    last_run: lastRunOf(row),
  };
}
