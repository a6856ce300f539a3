/**
 * `make bench-ledger`: our ledger and a hand-written one with the same guarantees. pgbench calls both on one Postgres
 * in one run.
 */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { startPostgres } from '@hamlet/dev';
import { checkLedger, migrate, openDatabase, type Db } from '@hamlet/store';
import { sql } from 'kysely';
import { medianOf, row, writeReport, type Row } from '../report.ts';
import { asApp, benchFolder } from '../stores.ts';
import { fillLongAccount, openBooks, writeBatches, type Books } from './books.ts';
import { pgbench, type PgbenchRun } from './pgbench.ts';
import { sealEverything, type SealRun } from './seal.ts';

const USAGE = `usage: make bench-ledger, or node bench/ledger/main.ts [--seconds N] [--rounds N]

Our ledger.post, called like the api calls it (with a related post and a trace), and ledger.post_batch, compared with bench/peers/ledger: hand-ledger.sql
stores the minimum of a ledger, hand-ledger-whole.sql stores and refuses the same as ours. 10,000 accounts, Debian's pgbench against one Postgres 18 with fsync on. The sides are measured in turn in each round: a figure is the median of its rounds, and a ratio the median of the
ratios within a round. Then the sealed log seals all committed entries, from the database to tiles and checkpoint on disk. Writes bench/results/ledger.json.
  --seconds  length of each measurement (3)
  --rounds   measurements of each side (5)`;

const ROOT = resolve(import.meta.dirname, '../..');
const PEERS = join(ROOT, 'bench/peers/ledger');
const SCRIPTS = join(import.meta.dirname, 'scripts');
const ACCOUNTS = 10_000;
const CLIENTS = 20;
const BATCH = 1_000;
const SUM_READS = 7;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const seconds = Number(values.seconds);

type Cases = Readonly<
  Record<
    'ours' | 'hand' | 'handWhole' | 'treasury' | 'unsharded' | 'handHot' | 'single' | 'batch' | 'handBatch',
    PgbenchRun
  >
>;

function casesOf({ base, unsharded }: Books): Cases {
  const ours = (file: string, clients: number): PgbenchRun => ({
    script: [SCRIPTS, `${file}.pgbench.sql`],
    clients,
    seconds,
    variables: { base, unsharded },
  });
  const peer = (file: string, clients: number): PgbenchRun => ({
    script: [PEERS, `${file}.pgbench.sql`],
    clients,
    seconds,
  });
  return {
    ours: ours('transfer', CLIENTS),
    hand: peer('transfer', CLIENTS),
    handWhole: peer('transfer-whole', CLIENTS),
    treasury: ours('treasury', CLIENTS),
    unsharded: ours('unsharded', CLIENTS),
    handHot: peer('hot', CLIENTS),
    single: ours('transfer', 1),
    batch: ours('batch', 1),
    handBatch: peer('batch', 1),
  };
}

/** Statements a second of each case, for each round. */
type Samples = Record<keyof Cases, number[]>;

/** Runs every case once in each round, so that other load on the machine affects all of them. */
async function measure(url: URL, cases: Cases): Promise<Samples> {
  const names = Object.keys(cases) as (keyof Cases)[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Samples;
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    for (const name of names) {
      const tps = await pgbench(url, cases[name]);
      samples[name].push(tps);
      console.log(`round ${round} ${name.padEnd(10)} ${tps.toFixed(1)} statements/s`);
    }
  }
  return samples;
}

/** Milliseconds to sum an account of a million cached entries, ours and the peer's. */
async function sumOfMillion(
  owner: Db,
  url: string,
  books: Books,
): Promise<{ readonly ours: number; readonly hand: number }> {
  console.log("a million entries in one account, ours and the peer's");
  await fillLongAccount(url, books);
  for (let done = 0; done < 1_000; done += 1) await sql`select m.batch(1000)`.execute(owner);
  await sql`vacuum analyze ledger.entry`.execute(owner);
  await sql`vacuum analyze m.entry`.execute(owner);
  const timed = async (query: () => Promise<unknown>): Promise<number> => {
    const samples: number[] = [];
    for (let count = 0; count < SUM_READS; count += 1) {
      const started = performance.now();
      await query();
      samples.push(performance.now() - started);
    }
    return medianOf(samples);
  };
  return {
    ours: await timed(() => sql`select sum(amount) from ledger.entry where account_id = ${books.long}`.execute(owner)),
    hand: await timed(() =>
      sql`select sum(amt) from (select amt from m.entry where acct = 0 order by ver desc limit 1000000) newest`.execute(
        owner,
      ),
    ),
  };
}

interface Figures {
  readonly tps: Samples;
  readonly sum: { readonly ours: number; readonly hand: number };
  readonly seal: SealRun;
}

function rowsOf({ tps, sum, seal }: Figures): Row[] {
  const ratio = (
    metric: string,
    [ours, peer]: readonly [keyof Cases, keyof Cases],
    { target, each = 1 }: { readonly target: number | null; readonly each?: number },
  ): Row => {
    const ratios = tps[ours].map((figure, round) => (each * figure) / (tps[peer][round] ?? Number.NaN));
    return row(metric, '×', { better: 'higher', ours: medianOf(ratios), peers: { [peer]: 1 }, target });
  };
  const rate = (
    metric: string,
    ours: keyof Cases,
    { peers, each = 1 }: { readonly peers: readonly (keyof Cases)[]; readonly each?: number },
  ): Row => {
    const others = Object.fromEntries(peers.map((name) => [name, each * medianOf(tps[name])]));
    return row(metric, '1/s', { better: 'higher', ours: each * medianOf(tps[ours]), peers: others });
  };
  return [
    ratio('transfersPerSecondOverHandSql', ['ours', 'hand'], { target: 1 }),
    ratio('transfersPerSecondOverWholeHandSql', ['ours', 'handWhole'], { target: 1 }),
    ratio('hotAccountOverUnsharded', ['treasury', 'unsharded'], { target: 2.5 }),
    ratio('batchOverHandBatch', ['batch', 'handBatch'], { target: 1.2 }),
    ratio('batchOverSingle1Client', ['batch', 'single'], { target: null, each: BATCH }),
    ratio('batchOverSingle20Clients', ['batch', 'ours'], { target: 2, each: BATCH }),
    row('sealEntriesPerSecond', '1/s', { better: 'higher', ours: seal.entries / seal.seconds, target: 50_000 }),
    row('sumOfMillionEntriesMs', 'ms', { ours: sum.ours, peers: { handSql: sum.hand } }),
    rate('transfersPerSecond', 'ours', { peers: ['hand', 'handWhole'] }),
    rate('transfersPerSecond1Client', 'single', { peers: [] }),
    rate('hotTransfersPerSecond', 'treasury', { peers: ['unsharded', 'handHot'] }),
    rate('batchTransfersPerSecond', 'batch', { peers: ['handBatch'], each: BATCH }),
  ];
}

async function prove(owner: Db): Promise<void> {
  await sql`set statement_timeout = 0`.execute(owner);
  const broken = (await checkLedger(owner)).filter((rule) => rule.broken !== 0);
  if (broken.length > 0) throw new Error(`the books violate rules: ${JSON.stringify(broken)}`);
}

execFileSync('local/village/packages.sh', ['bench'], { cwd: ROOT, stdio: 'inherit' });
await using ends = new AsyncDisposableStack();
const folder = await benchFolder(ends, 'ledger');
const postgres = await startPostgres({ dataDir: join(folder, 'postgres') });
ends.defer(() => postgres.stop());
const url = postgres.url();
await migrate({ ownerUrl: url, appUrl: asApp(url) });
const owner = openDatabase({ url, poolSize: 1, onError: () => undefined });
await sql`set statement_timeout = 0`.execute(owner);
for (const peer of ['hand-ledger.sql', 'hand-ledger-whole.sql'])
  await sql.raw(await readFile(join(PEERS, peer), 'utf8')).execute(owner);
const books = await openBooks(owner, ACCOUNTS);
await writeBatches(owner, books, BATCH);
await sql`vacuum analyze`.execute(owner);
const tps = await measure(new URL(url), casesOf(books));
const sum = await sumOfMillion(owner, url, books);
const seal = await sealEverything(asApp(url), join(folder, 'log'));
await prove(owner);
await owner.destroy();
console.log(`written: ${writeReport('ledger', rowsOf({ tps, sum, seal }))}`);
