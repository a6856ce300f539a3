/** The database of a village, through the programs in its pod. */
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { kubectl, type Place } from '../kubectl.ts';
import { Holdings } from './manifest.ts';
import { transfer } from './stream.ts';

export const POSTGRES_POD = 'hamlet-postgres-0';
export const DATABASE = 'hamlet';
/** The database into which a dump is loaded, and the name of the replaced one after the swap. */
export const RESTORED = 'hamlet_restored';
const REPLACED = 'hamlet_replaced';

/** The Postgres of the village, or the one beside it that shows an earlier moment (`from-archive.ts`). */
export type Server = 'village' | 'recovered';

/** The container of a server's programs, and the address of the server for them. */
const SERVERS: Readonly<Record<Server, { readonly container: string; readonly address: string }>> = {
  village: { container: 'postgres', address: '--host 127.0.0.1' },
  recovered: { container: 'archive', address: '--host "$ARCHIVE_RECOVERY" --port 5432' },
};

/** A program of Postgres, with the arguments of `transfer` that name its pod and container. */
export function asSuperuser(server: Server, program: string, ...args: readonly string[]): ProgramInPod {
  const { container, address } = SERVERS[server];
  // Within its pod, Postgres asks for no password at its socket.
  const script = `PGPASSWORD="\${POSTGRES_PASSWORD:-}" exec ${program} ${address} --username postgres "$@"`;
  return { pod: POSTGRES_POD, container, command: ['sh', '-c', script, program, ...args] };
}

interface ProgramInPod {
  readonly pod: string;
  readonly container: string;
  readonly command: readonly string[];
}

/** The end of the arguments of `kubectl exec`. */
function execOf({ pod, container, command }: ProgramInPod): readonly string[] {
  return ['exec', pod, '--container', container, '--', ...command];
}

/** Rows of a statement as lines, with `|` between columns. */
export const PLAIN = ['--no-psqlrc', '--quiet', '--tuples-only', '--no-align', '--set', 'ON_ERROR_STOP=1'] as const;

/**
 * Runs statements, each in its own transaction. Returns the rows of the last statement as lines, with `|` between
 * columns.
 */
export async function psql(
  place: Place,
  { server = 'village', database = DATABASE }: { readonly server?: Server; readonly database?: string },
  ...statements: readonly string[]
): Promise<string> {
  const commands = statements.flatMap((each) => ['--command', each]);
  return kubectl(place, execOf(asSuperuser(server, 'psql', ...PLAIN, '--dbname', database, ...commands)));
}

export interface DatabaseFacts {
  readonly server: string;
  /** Undefined before the first migration. */
  readonly migration: string | undefined;
  readonly sealed: number;
  readonly holdings: Holdings;
}

const NOTHING: Holdings = { accounts: 0, posts: 0, transfers: 0, acts: 0, newestAct: null };

export async function databaseFacts(place: Place, from: Server = 'village'): Promise<DatabaseFacts> {
  const at = { server: from };
  const server = await psql(place, at, 'show server_version');
  if ((await psql(place, at, "select to_regclass('public.schema_migration') is not null")) !== 't')
    return { server, migration: undefined, sealed: 0, holdings: NOTHING };
  const text = await psql(
    place,
    at,
    `select json_build_object('migration', (select max(name) from schema_migration), 'sealed', (select size from log.head), 'holdings', json_build_object(
        'accounts', (select count(*) from account), 'posts', (select count(*) from board.post), 'transfers', (select count(*) from ledger.transfer),
        'acts', (select count(*) from audit), 'newestAct', (select to_char(max(at) at time zone 'UTC', 'YYYY-MM-DD HH24:MI "UTC"') from audit)))`,
  );
  const facts = JSON.parse(text) as Pick<DatabaseFacts, 'migration' | 'sealed'> & { readonly holdings: unknown };
  return { ...facts, server, holdings: Holdings.parse(facts.holdings) };
}

/** Writes the hashes of all sealed entries of a server to a file, 32 bytes each, in their order. */
export async function saveHashes(
  place: Place,
  { server, to }: { readonly server: Server; readonly to: string },
  doing: (text: string) => void,
): Promise<void> {
  // Unlike the rows of a statement, a copy is not collected in the memory of the pod.
  const tiles = "copy (select encode(hashes, 'hex') from log.tile where level = 0 order by number) to stdout";
  const lines = `${to}.hex`;
  await transfer(place, {
    ...asSuperuser(server, 'psql', ...PLAIN, '--dbname', DATABASE, '--command', tiles),
    to: lines,
    doing,
  });
  const bytes = async function* (input: AsyncIterable<string>): AsyncGenerator<Buffer> {
    for await (const line of input) yield Buffer.from(line, 'hex');
  };
  await pipeline(createInterface({ input: createReadStream(lines) }), bytes, createWriteStream(to, { mode: 0o600 }));
  await rm(lines);
}

/** Creates an empty database beside the village's, with the same rights. */
export async function makeBeside(place: Place): Promise<void> {
  await psql(
    place,
    { database: 'postgres' },
    `drop database if exists ${RESTORED} with (force)`,
    `create database ${RESTORED} owner owner template template0`,
    `revoke all on database ${RESTORED} from public`,
    `grant connect on database ${RESTORED} to app, reader`,
  );
}

/** Replaces the village's database by the loaded one. The old one stays until `dropReplaced`. */
export async function swap(place: Place): Promise<void> {
  await psql(
    place,
    { database: 'postgres' },
    `drop database if exists ${REPLACED} with (force)`,
    `select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = '${DATABASE}'`,
    // One transaction: a village without a database could not be restored again.
    `alter database ${DATABASE} rename to ${REPLACED}; alter database ${RESTORED} rename to ${DATABASE}`,
  );
}

export async function dropReplaced(place: Place): Promise<void> {
  await psql(place, { database: 'postgres' }, `drop database if exists ${REPLACED} with (force)`);
}

/** Records in the sealed log that the village was restored, and from where. */
export async function recordRestore(place: Place, detail: Readonly<Record<string, string | number>>): Promise<void> {
  await psql(
    place,
    {},
    `insert into audit (audit_id, actor_role, actor_id, action, object, detail, request_id)
    select id, 'system', 'restore', 'log.restore', 'log', '${JSON.stringify(detail).replaceAll("'", "''")}', id from gen_random_uuid() as id`,
  );
}
