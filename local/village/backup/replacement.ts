import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../failure.ts';
import { ROOT } from '../paths.ts';
import type { Step } from '../steps.ts';
import type { DatabaseFacts } from './database.ts';
import type { Holdings } from './manifest.ts';

const LANDED = 'api/store/migrations/landed.sha256';

/** Data that can replace a village's. */
export interface Replacement {
  /** The origin of the data, in words. */
  readonly title: string;
  /** The moment of the data, in ISO 8601. */
  readonly moment: string;
  readonly folder: string;
  readonly migration: string;
  /** The version of the data's Postgres. */
  readonly postgres: string;
  /** The number of sealed entries. */
  readonly sealed: number;
  readonly holdings: Holdings;
  /** Replaces what is not in the database, while the village is stopped. */
  readonly others: readonly Step[];
  /** The detail of the act `log.restore`. */
  readonly detail: Readonly<Record<string, string | number>>;
}

/** Throws a Failure if this version of Hamlet, or the village's Postgres, cannot take the data. */
export function refuseReplacement({ migration, postgres }: Replacement, there: DatabaseFacts): void {
  const known = readFileSync(join(ROOT, LANDED), 'utf8').includes(`  ${migration}\n`);
  if (!known)
    throw new Failure(
      `the backup has the migration ${migration}, which this version of Hamlet does not know; nothing was changed`,
      'use the version of Hamlet that wrote it, or a newer one, and run make up first',
    );
  if (Number.parseInt(postgres, 10) > Number.parseInt(there.server, 10))
    throw new Failure(
      `the backup is of Postgres ${postgres}, and this village has ${there.server}; nothing was changed`,
      'restore it into the same version of Postgres or a newer one',
    );
}
