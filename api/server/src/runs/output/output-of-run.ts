import type { JsonObject, createRun, getRun, CallInput } from '@hamlet/contract';
import { insertOutputSchema, readRunOutput, type Db, type RunRow, type Tx } from '@hamlet/store';
import type { z } from 'zod';
import type { DataOf } from '../../http/handler.ts';
import { accepted, refused, type Outcome } from '../../http/outcome.ts';
import type { ShownRun } from '../audience/run-audience.ts';
import { checkOutput, faultOfSchema, type CheckedOutput } from './check-output.ts';

type Asked = Pick<CallInput<typeof createRun>['body'], 'output_schema'>;

/** The output schema of a new run as JSON: its own, else that of the run that it continues. Null without any. */
export async function schemaOfNewRun(tx: Tx, asked: Asked, earlier: RunRow | null): Promise<Outcome<string | null>> {
  const { output_schema: schema } = asked;
  if (schema !== undefined) {
    const fault = await faultOfSchema(schema);
    return fault === null ? accepted(JSON.stringify(schema)) : refused('output_schema_invalid', fault);
  }
  return accepted(earlier === null ? null : ((await readRunOutput(tx, earlier.runId))?.schema ?? null));
}

export async function keepSchema(tx: Tx, { runId }: RunRow, schema: string | null): Promise<void> {
  if (schema !== null) await insertOutputSchema(tx, runId, schema);
}

/** The output that an agent gives a run that it calls done; null for a run without an output schema. */
export async function outputOf(tx: Tx, runId: string, given: string | undefined): Promise<CheckedOutput | null> {
  const kept = await readRunOutput(tx, runId);
  return kept === null ? null : checkOutput(kept.schema, given);
}

const parsed = (json: string) => JSON.parse(json) as z.infer<typeof JsonObject>;

/** The output schema for the agent that works on the run. */
export async function schemaForAgent(
  tx: Tx,
  { runId }: RunRow,
): Promise<{ readonly output_schema?: ReturnType<typeof parsed> }> {
  const kept = await readRunOutput(tx, runId);
  return kept === null ? {} : { output_schema: parsed(kept.schema) };
}

type Shown = Pick<DataOf<typeof getRun>, 'output_schema' | 'output' | 'output_json'>;

export async function shownOutput(db: Db, { row, veiled }: ShownRun): Promise<Shown> {
  const kept = veiled ? null : await readRunOutput(db, row.runId);
  if (kept === null) return {};
  const { schema, output } = kept;
  return {
    output_schema: parsed(schema),
    ...(output === null ? {} : { output: JSON.parse(output) as unknown, output_json: output }),
  };
}
