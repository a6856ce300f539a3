import type { RunState, TaintSource } from '@hamlet/contract';
import { type RawBuilder, type Selection, sql } from 'kysely';
import { COLUMNS, type Tables } from '../connection/tables.generated.ts';

/** A mark of a run, as JSON of the database has it. */
export interface TaintRow {
  readonly source: TaintSource;
  readonly detail: string;
  readonly callId: string | null;
  readonly fromRunId: string | null;
  readonly at: string;
}

/** The marks of the run of a query, the first one first; null if it has none. */
export const TAINT_OF_RUN: RawBuilder<readonly TaintRow[] | null> = sql`(
  select jsonb_agg(jsonb_build_object('source', source, 'detail', detail, 'callId', call_id, 'fromRunId', from_run_id, 'at', at) order by at, source)
  from run_taint where run_taint.run_id = run.run_id)`;

export const RUN_COLUMNS = [...COLUMNS.run, TAINT_OF_RUN.as('taint')] as const;
export type RunRow = Readonly<Selection<Tables, 'run', (typeof RUN_COLUMNS)[number]>>;

export const UNDER_WAY = ['queued', 'running', 'waiting_permission'] as const satisfies readonly RunState[];
