/** The programs of the archive on folders, with a pretended Postgres. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { testFolder } from '@hamlet/test/env/at-end';
import { until } from '@hamlet/test/env/until';
import { ROOT } from '../../local/village/paths.ts';

const SCRIPTS = join(ROOT, 'charts/hamlet/files/archive');
const folder = testFolder('archive');
const nameOf = (number: number): string => number.toString(16).toUpperCase().padStart(8, '0');
/** The name of segment `number` of the first timeline. */
const segment = (number: number): string => `${nameOf(1)}${nameOf(Math.floor(number / 256))}${nameOf(number % 256)}`;
const nowS = Math.floor(Date.now() / 1_000);
const DAY_S = 86_400;

function newFolder(): string {
  return mkdtempSync(join(folder, 'archive-'));
}

/** A data folder with this many waiting segments, and an archive. */
function newCluster(waiting: number): { readonly data: string; readonly archive: string } {
  const [data, archive] = [newFolder(), newFolder()];
  mkdirSync(join(data, 'global'));
  mkdirSync(join(data, 'pg_wal/archive_status'), { recursive: true });
  writeFileSync(join(data, 'global/pg_control'), Buffer.from([7, 0, 0, 0, 0, 0, 0, 0, 9]));
  for (let number = 0; number < waiting; number++)
    writeFileSync(join(data, 'pg_wal/archive_status', `${segment(number)}.ready`), '');
  return { data, archive };
}

function store({ data, archive }: ReturnType<typeof newCluster>, content: string, writtenS = nowS): number | null {
  writeFileSync(join(data, 'pg_wal', segment(1)), content);
  utimesSync(join(data, 'pg_wal', segment(1)), writtenS, writtenS);
  const args = [join(SCRIPTS, 'segment.sh'), `pg_wal/${segment(1)}`, segment(1)];
  return spawnSync('bash', args, { cwd: data, env: { ...process.env, ARCHIVE_FOLDER: archive } }).status;
}

test('a segment is stored once: storing it again succeeds, other content under its name fails', () => {
  const cluster = newCluster(1);
  assert.deepEqual([store(cluster, 'one'), store(cluster, 'one'), store(cluster, 'two')], [0, 0, 1]);
  assert.deepEqual(readdirSync(join(cluster.archive, '7/wal')), [`${segment(1)}.gz`]);
});

test('a segment says when Postgres wrote it, also in a copy of the archive whose files have other times', () => {
  const cluster = newCluster(1);
  assert.equal(store(cluster, 'one', nowS - 3_600), 0);
  const home = join(cluster.archive, '7');
  utimesSync(join(home, 'wal', `${segment(1)}.gz`), nowS, nowS);
  const script = '. "$0"; reached "$1" "$2"';
  const { stdout } = spawnSync('bash', ['-c', script, join(SCRIPTS, 'chain.sh'), home, segment(1)], {
    encoding: 'utf8',
  });
  assert.equal(Number(stdout), nowS - 3_601);
});

test('while the archive has no room, Postgres repeats a segment until 64 others wait, and then gives it up', () => {
  for (const [waiting, status] of [
    [64, 1],
    [65, 0],
  ] as const) {
    const cluster = newCluster(waiting);
    writeFileSync(join(cluster.archive, 'full'), '');
    assert.equal(store(cluster, 'one'), status);
    assert.equal(existsSync(join(cluster.archive, '7/wal', `${segment(1)}.gz`)), false);
  }
});

test('segments follow each other beyond 4 GiB, up to the first that is missing', () => {
  const archive = newFolder();
  mkdirSync(join(archive, 'wal'));
  for (const number of [254, 255, 256, 257, 259]) writeFileSync(join(archive, 'wal', `${segment(number)}.gz`), '');
  const tipFrom = (number: number): string =>
    spawnSync(
      'bash',
      ['-c', '. "$0"; unbroken "$1" "$2"; printf %s "$tip"', join(SCRIPTS, 'chain.sh'), archive, segment(number)],
      {
        encoding: 'utf8',
      },
    ).stdout;
  assert.deepEqual([tipFrom(254), tipFrom(258), tipFrom(259)], [segment(257), '', segment(259)]);
});

/** A base backup that ended this many days ago and needs the segments from `start` on. */
function putBase(home: string, days: number, start: number): string {
  const name = String(nowS - days * DAY_S);
  mkdirSync(join(home, 'base', name), { recursive: true });
  writeFileSync(join(home, 'base', name, 'start'), `${segment(start)}\n`);
  return name;
}

interface Kept {
  readonly bases: readonly string[];
  readonly segments: readonly string[];
  readonly isFull: boolean;
  readonly report: string;
}

/** Writes a base backup that needs the segments from the fifth on. Fails while the archive takes no segment, for which Postgres would wait. */
const BACK_UP = `#!/bin/bash
[ ! -e "$ARCHIVE_FOLDER/full" ] || exit 1
while [ "$1" != --pgdata ]; do shift; done
mkdir -p "$2"
echo 'START WAL LOCATION: 0/5000028 (file ${segment(5)})' >"$2/backup_label"
tar -czf "$2/base.tar.gz" -C "$2" backup_label
`;

/** Runs the keeper of the archive once on a Postgres that reports system 7; by default its base backups fail. */
async function keepOnce(archive: string, limitMib: number, backUp = '#!/bin/sh\nexit 1\n'): Promise<Kept> {
  const programs = newFolder();
  const report = join(programs, 'report');
  const psql = `#!/bin/sh\ncase "$*" in *system_identifier*) echo 7 ;; *) cat >/dev/null; echo "$*" >${report}.new; mv ${report}.new ${report} ;; esac\n`;
  writeFileSync(join(programs, 'psql'), psql, { mode: 0o755 });
  writeFileSync(join(programs, 'pg_basebackup'), backUp, { mode: 0o755 });
  const archiver = spawn('bash', [join(SCRIPTS, 'keep.sh')], {
    stdio: 'ignore',
    env: {
      PATH: `${programs}:${process.env['PATH'] ?? ''}`,
      ARCHIVE_FOLDER: archive,
      ARCHIVE_RECOVERY: join(archive, 'recovery'),
      ARCHIVE_DAYS: '7',
      ARCHIVE_HOURS: '24',
      ARCHIVE_MIB: String(limitMib),
      ARCHIVE_PAUSE: '0.1',
    },
  });
  // The second report is of the second round: the first one is complete.
  await until('two reports', () => {
    if (!existsSync(report)) return false;
    if (existsSync(`${report}.seen`)) return true;
    rmSync(report);
    writeFileSync(`${report}.seen`, '');
    return false;
  });
  const ended = once(archiver, 'exit');
  archiver.kill();
  await ended;
  return {
    bases: readdirSync(join(archive, '7/base')),
    segments: readdirSync(join(archive, '7/wal')),
    isFull: existsSync(join(archive, 'full')),
    report: readFileSync(report, 'utf8'),
  };
}

function newArchive(segments: readonly number[]): { readonly archive: string; readonly home: string } {
  const archive = newFolder();
  const home = join(archive, '7');
  mkdirSync(join(home, 'wal'), { recursive: true });
  const stored = gzipSync('x');
  // The time of the segment.
  stored.writeUInt32LE(nowS, 4);
  for (const number of segments) writeFileSync(join(home, 'wal', `${segment(number)}.gz`), stored);
  return { archive, home };
}

const namesOf = (numbers: readonly number[]): readonly string[] => numbers.map((n) => `${segment(n)}.gz`);

test('the oldest base backup that stays reaches the wanted days back, and segments before it go', async () => {
  const { archive, home } = newArchive([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  putBase(home, 20, 1);
  const bases = [9, 6, 5, 4, 3, 2, 1, 0.5].map((days, at) => putBase(home, days, at + 3));
  mkdirSync(join(archive, '5/base', String(nowS - 30 * DAY_S)), { recursive: true });
  mkdirSync(join(archive, '6/base', String(nowS - 3 * DAY_S)), { recursive: true });
  const kept = await keepOnce(archive, 1_000);
  assert.deepEqual([kept.bases, kept.segments, kept.isFull], [bases, namesOf([3, 4, 5, 6, 7, 8, 9, 10]), false]);
  assert.match(kept.report, new RegExp(`earliest=${bases[0]} .*problem= `));
  assert.deepEqual(readdirSync(archive).toSorted(), ['6', '7'], 'an earlier Postgres keeps its archive as long');
});

test('a clock that is a year ahead removes nothing', async () => {
  const { archive, home } = newArchive([1, 2, 3]);
  const bases = [putBase(home, 367, 1), putBase(home, 366, 2), putBase(home, 365, 3)];
  mkdirSync(join(archive, '6/base', String(nowS - 366 * DAY_S)), { recursive: true });
  const kept = await keepOnce(archive, 1_000);
  assert.deepEqual([kept.bases, kept.segments], [bases, namesOf([1, 2, 3])]);
  assert.deepEqual(readdirSync(archive).toSorted(), ['6', '7']);
});

test('a base backup from the future makes a new one due, and is deleted in its turn', async () => {
  const { archive, home } = newArchive([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  const ahead = putBase(home, -365, 1);
  assert.match((await keepOnce(archive, 1_000)).report, /problem=backup /, 'a backup was tried');
  putBase(home, 8, 2);
  const latest = [3, 4, 5, 6, 7, 8, 9].map((start) => putBase(home, 1 - start / 100, start));
  const kept = await keepOnce(archive, 1_000);
  assert.ok(!kept.bases.includes(ahead), 'the oldest of nine goes, although its name is the newest');
  assert.equal(kept.bases.length, latest.length + 1);
  assert.deepEqual(kept.segments, namesOf([2, 3, 4, 5, 6, 7, 8, 9, 10]));
  assert.match(kept.report, new RegExp(`base=${latest.at(-1)} `));
});

test('without room the oldest days go first, the last base backup stays, and then the archive is full', async () => {
  const { archive, home } = newArchive([1, 2]);
  const old = putBase(home, 3, 1);
  const newest = putBase(home, 0.5, 2);
  writeFileSync(join(home, 'base', old, 'base.tar.gz'), Buffer.alloc(3 << 20));
  const freed = await keepOnce(archive, 2);
  assert.deepEqual([freed.bases, freed.isFull], [[newest], false]);
  writeFileSync(join(home, 'base', newest, 'base.tar.gz'), Buffer.alloc(3 << 20));
  const full = await keepOnce(archive, 2);
  assert.deepEqual([full.bases, full.isFull], [[newest], true]);
  assert.match(full.report, /problem=full /);
});

test('after a gap a base backup is due, and only moments after it are offered', async () => {
  const { archive, home } = newArchive([1, 2, 4, 5]);
  putBase(home, 0.5, 1);
  const broken = await keepOnce(archive, 1_000);
  assert.match(broken.report, /problem=gap /);
  const after = putBase(home, 0, 4);
  const mended = await keepOnce(archive, 1_000);
  assert.match(mended.report, new RegExp(`base=${after} `));
  assert.match(mended.report, /problem= /);
});

test('segments that fill the archive make a base backup due, which makes room: it does not stay full', async () => {
  const { archive, home } = newArchive([1, 2, 3, 4, 5]);
  const old = putBase(home, 0.25, 1);
  writeFileSync(join(home, 'base', old, 'base.tar.gz'), Buffer.alloc(1 << 20));
  writeFileSync(join(home, 'wal', `${segment(4)}.gz`), Buffer.alloc(3 << 20));
  writeFileSync(join(archive, 'full'), '');
  const kept = await keepOnce(archive, 4, BACK_UP);
  assert.equal(kept.bases.length, 1);
  assert.notEqual(kept.bases[0], old);
  assert.deepEqual([kept.segments, kept.isFull], [namesOf([5]), false]);
});

test('an archive of an earlier Postgres never makes room for the present one', async () => {
  const { archive, home } = newArchive([1, 2]);
  putBase(home, 0.5, 1);
  const lost = join(archive, '6');
  const base = putBase(lost, 30, 1);
  writeFileSync(join(lost, 'base', base, 'base.tar.gz'), Buffer.alloc(3 << 20));
  const kept = await keepOnce(archive, 2);
  assert.deepEqual([existsSync(join(lost, 'base', base)), kept.isFull], [true, true]);
  assert.match(kept.report, /problem=full /);
});

test('the files of a restore that was ended go after half a day', async () => {
  const { archive, home } = newArchive([1]);
  putBase(home, 0.5, 1);
  const recovery = join(archive, 'recovery');
  for (const [hours, isLeft] of [
    [11, true],
    [13, false],
  ] as const) {
    mkdirSync(recovery, { recursive: true });
    utimesSync(recovery, nowS - hours * 3_600, nowS - hours * 3_600);
    await keepOnce(archive, 1_000);
    assert.equal(existsSync(recovery), isLeft);
  }
});
