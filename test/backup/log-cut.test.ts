/** The folder of the sealed log becomes that of an earlier moment, even if the first attempt is interrupted, or if an earlier cut lost the moment. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { cutLog, LOG_FOLDER } from '../../local/village/backup/log-volume.ts';

const HASH_BYTES = 32;
const folder = testFolder('log-cut');
const log = join(folder, 'log');
const programs = join(folder, 'programs');
const kubectl = join(folder, 'kubectl');
const note = (size: number, history = 'first'): string => `hamlet.village/hamlet\n${size}\nroot of the ${history}\n`;
const hashes = Buffer.from(Array.from({ length: 600 * HASH_BYTES }, (_, at) => at % 251));
const firstOf = (size: number): Buffer => hashes.subarray(0, size * HASH_BYTES);

const writeProgram = (file: string, script: string): void =>
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });

mkdirSync(programs);
// Each attempt has its own second.
writeProgram(join(programs, 'date'), `echo >>${folder}/attempts; wc -l <${folder}/attempts`);
writeProgram(
  kubectl,
  `case "$*" in
*' exec '*) ;;
*' get deployment '*) echo '{"containers":[{"name":"api"}]}'; exit ;;
*) exit ;;
esac
while [ "$1" != -- ]; do shift; done
PATH='${programs}':"$PATH" exec sh -c "$(printf %s "$4" | sed 's#${LOG_FOLDER}#${log}#')"`,
);

/** Makes the folder that of the first `size` entries of the first history. */
function cutTo(size: number): Promise<void> {
  const then = join(folder, 'then');
  mkdirSync(then, { recursive: true });
  writeFileSync(join(then, 'checkpoint'), size === 0 ? '' : note(size));
  writeFileSync(join(then, 'hashes'), firstOf(size));
  const tar = join(folder, 'then.tar');
  execFileSync('tar', ['--create', '--file', tar, '--directory', then, 'checkpoint', 'hashes']);
  return cutLog({ kubectl, helm: 'helm', kubeconfig: undefined, namespace: 'hamlet' }, tar, () => undefined);
}

interface Kept {
  readonly hashes: Buffer;
  readonly newest: string;
  readonly sizes: readonly number[];
}

function makeLog({ hashes: kept, newest, sizes }: Kept): void {
  rmSync(log, { recursive: true, force: true });
  mkdirSync(join(log, 'checkpoints'), { recursive: true });
  writeFileSync(join(log, 'checkpoint'), newest);
  for (const size of sizes) writeFileSync(join(log, 'checkpoints', String(size)), note(size));
  writeFileSync(join(log, 'hashes'), kept);
  writeFileSync(join(log, 'key.pub'), 'the key');
}

const lostOf = (): string => {
  const [first = ''] = readdirSync(join(log, 'lost')).toSorted();
  return join(log, 'lost', first);
};

const INTERRUPTIONS = {
  'before the hashes are replaced': 'then/hashes',
  'before the checkpoint is replaced': 'then/checkpoint',
} as const;

for (const [when, file] of Object.entries(INTERRUPTIONS))
  test(`a cut that is interrupted ${when} begins again, and loses no evidence`, async () => {
    makeLog({ hashes, newest: note(600), sizes: [256, 512] });
    writeProgram(join(programs, 'mv'), `case "$*" in *${file}*) exit 1 ;; esac\nexec /bin/mv "$@"`);
    await assert.rejects(cutTo(300));
    rmSync(join(programs, 'mv'));
    await cutTo(300);
    assert.equal(readFileSync(join(log, 'checkpoint'), 'utf8'), note(300));
    assert.deepEqual(readFileSync(join(log, 'hashes')), firstOf(300));
    assert.deepEqual(readdirSync(join(log, 'checkpoints')), ['256']);
    const lost = lostOf();
    assert.equal(readFileSync(join(lost, 'checkpoint'), 'utf8'), note(600));
    assert.ok(!existsSync(join(log, 'key.pub')), 'the next api writes the key with which it continues');
    assert.deepEqual(readFileSync(join(lost, 'hashes')), hashes.subarray(300 * HASH_BYTES));
  });

test('a folder that continued otherwise returns to the entries that an earlier cut lost', async () => {
  const other = Buffer.alloc(50 * HASH_BYTES, 0xff);
  makeLog({ hashes: Buffer.concat([firstOf(300), other]), newest: note(350, 'second'), sizes: [256, 320] });
  await cutTo(600);
  assert.equal(readFileSync(join(log, 'checkpoint'), 'utf8'), note(600));
  assert.deepEqual(readFileSync(join(log, 'hashes')), hashes);
  assert.deepEqual(readdirSync(join(log, 'checkpoints')), ['256']);
  assert.deepEqual(readFileSync(join(lostOf(), 'hashes')), other);
  assert.deepEqual(readdirSync(join(lostOf(), 'checkpoints')), ['320']);
});

test('the same moment again changes nothing, and a folder without permanent checkpoints is cut too', async () => {
  makeLog({ hashes: firstOf(300), newest: note(300), sizes: [] });
  await cutTo(300);
  assert.ok(!existsSync(join(log, 'lost')));
  await cutTo(0);
  assert.ok(!existsSync(join(log, 'checkpoint')));
  assert.equal(readFileSync(join(log, 'hashes')).length, 0);
  assert.deepEqual(readFileSync(join(lostOf(), 'hashes')), firstOf(300));
});

test('hashes that differ below the same checkpoint are kept as evidence', async () => {
  const changed = Buffer.from(firstOf(300));
  changed.fill(0xff, 100 * HASH_BYTES, 101 * HASH_BYTES);
  makeLog({ hashes: changed, newest: note(300), sizes: [256] });
  await cutTo(300);
  assert.deepEqual(readFileSync(join(log, 'hashes')), firstOf(300));
  assert.deepEqual(readFileSync(join(lostOf(), 'hashes')), changed.subarray(100 * HASH_BYTES));
});
