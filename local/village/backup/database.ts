/** The database of a village, asked by the programs in its own pod. */
import { kubectl, type Place } from '../kubectl.ts';
import { Holdings } from './manifest.ts';

export const POSTGRES_POD = 'hamlet-postgres-0';
const DATABASE = 'hamlet';
/** Where a dump is loaded before it takes the place of the database, and what becomes of that one. */
export const RESTORED = 'hamlet_restored';
const REPLACED = 'hamlet_replaced';

/** A program of Postgres as the superuser; what follows are its arguments. */
export function asSuperuser(program: string, ...args: readonly string[]): readonly string[] {
  return [
    'sh',
    '-c',
    `PGPASSWORD="$POSTGRES_PASSWORD" exec ${program} --host 127.0.0.1 --username postgres "$@"`,
    program,
    ...args,
  ];
}

/** Runs statements, each by itself; what the last prints, a row a line with `|` between columns. */
export async function psql(place: Place, database: string, ...statements: readonly string[]): Promise<string> {
  const flags = [
    '--no-psqlrc',
    '--quiet',
    '--tuples-only',
    '--no-align',
    '--set',
    'ON_ERROR_STOP=1',
    '--dbname',
    database,
  ];
  return kubectl(place, [
    'exec',
    POSTGRES_POD,
    '--',
    ...asSuperuser('psql', ...flags, ...statements.flatMap((each) => ['--command', each])),
  ]);
}

export interface DatabaseFacts {
  readonly server: string;
  /** Undefined where no migration was applied yet. */
  readonly migration: string | undefined;
  readonly sealed: number;
  readonly holdings: Holdings;
}

const NOTHING: Holdings = { accounts: 0, posts: 0, transfers: 0, acts: 0, newestAct: null };

/** What the database holds. */
export async function databaseFacts(place: Place): Promise<DatabaseFacts> {
  const server = await psql(place, DATABASE, 'show server_version');
  if ((await psql(place, DATABASE, "select to_regclass('public.schema_migration') is not null")) !== 't')
    return { server, migration: undefined, sealed: 0, holdings: NOTHING };
  const answer: unknown = JSON.parse(
    await psql(
      place,
      DATABASE,
      `select json_build_object('migration', (select max(name) from schema_migration), 'sealed', (select size from log.head), 'holdings', json_build_object(
        'accounts', (select count(*) from account), 'posts', (select count(*) from board.post), 'transfers', (select count(*) from ledger.transfer),
        'acts', (select count(*) from audit), 'newestAct', (select to_char(max(at) at time zone 'UTC', 'YYYY-MM-DD HH24:MI "UTC"') from audit)))`,
    ),
  );
  const { migration, sealed, holdings } = answer as {
    readonly migration: string;
    readonly sealed: number;
    readonly holdings: unknown;
  };
  return { server, migration, sealed, holdings: Holdings.parse(holdings) };
}

/** Makes an empty database beside the one of the village, with the same rights. */
export async function makeBeside(place: Place): Promise<void> {
  await psql(
    place,
    'postgres',
    `drop database if exists ${RESTORED} with (force)`,
    `create database ${RESTORED} owner owner template template0`,
    `revoke all on database ${RESTORED} from public`,
    `grant connect on database ${RESTORED} to app, reader`,
  );
}

/** Puts what was loaded in the place of the village's database, which is kept until `dropReplaced`. */
export async function swap(place: Place): Promise<void> {
  await psql(
    place,
    'postgres',
    `drop database if exists ${REPLACED} with (force)`,
    `select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = '${DATABASE}'`,
    `alter database ${DATABASE} rename to ${REPLACED}`,
    `alter database ${RESTORED} rename to ${DATABASE}`,
  );
}

export async function dropReplaced(place: Place): Promise<void> {
  await psql(place, 'postgres', `drop database if exists ${REPLACED} with (force)`);
}
