import type { DatabaseSync } from 'node:sqlite';
import { unpackedBody } from './event-text.ts';

/** Closed runs to keep: the newest ones, up to a number of runs and of their events. No clock decides, because a pod's may be wrong. */
export type Retention = Readonly<{ runs: number; events: number }>;

/** Closed runs beyond the retention. The run of the last event stays, because new events count on from it. */
const DOOMED = `
create temp table doomed as
select run from (
  select closed.run,
    row_number() over newest as runs,
    sum((select count(*) from event where event.run = closed.run)) over newest as events
  from event closed
  where type = (select id from name where name = 'run_closed')
  window newest as (order by closed.seq desc)
)
where (runs > ? or events > ?) and run <> (select run from event order by seq desc limit 1)`;

/** The texts that no remaining event refers to. References are strings anywhere in the body of an event. */
const DELETIONS = [
  'delete from run where run in (select name from name where id in (select run from doomed))',
  'delete from event where run in (select run from doomed)',
  `delete from payload where ref not in (
    select part.value from event, json_tree(unpacked(event.body)) part where part.type = 'text')`,
  'delete from name where id not in (select run from event union select type from event union select stage from event)',
];

/**
 * Deletes the events and texts of closed runs beyond the retention, in one transaction; SQLite uses their pages again. Returns
 * the number of deleted runs. Blocks for about 30 ms a thousand events that the journal has. The caller has committed all
 * writes, and forgets the names that it knows.
 */
export function pruneRuns(database: DatabaseSync, { runs, events }: Retention): number {
  database.function('unpacked', { deterministic: true }, (body) => unpackedBody(String(body)));
  database.exec('begin immediate');
  try {
    database.prepare(DOOMED).run(runs, events);
    const count = Number(database.prepare('select count(*) as n from doomed').get()?.['n']);
    if (count > 0) for (const sql of DELETIONS) database.exec(sql);
    database.exec('drop table doomed; commit');
    return count;
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}
