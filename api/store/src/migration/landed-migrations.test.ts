/** A landed migration must never change, because villages that applied it could no longer start. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

const FOLDER = join(import.meta.dirname, '../../migrations');
/** A list in the format of sha256sum, for `sha256sum --check landed.sha256`. */
const LIST = 'landed.sha256';

async function lineOf(name: string): Promise<string> {
  return `${createHash('sha256')
    .update(await readFile(join(FOLDER, name)))
    .digest('hex')}  ${name}`;
}

test('no landed migration has changed', async () => {
  const landed = (await readFile(join(FOLDER, LIST), 'utf8')).trim().split('\n');
  for (const line of landed) {
    const name = line.slice(line.lastIndexOf(' ') + 1);
    assert.equal(
      await lineOf(name),
      line,
      `${name} was changed after it had landed. Fix: git checkout it, and put the change into a new migration`,
    );
  }
});

test('every migration is in the list of landed ones', async () => {
  const landed = new Set((await readFile(join(FOLDER, LIST), 'utf8')).trim().split('\n'));
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).toSorted();
  const missing = (await Promise.all(names.map(lineOf))).filter(
    (line) => ![...landed].some((other) => other.endsWith(`  ${line.slice(line.lastIndexOf(' ') + 1)}`)),
  );
  assert.deepEqual(
    missing,
    [],
    `a new migration is not in ${LIST}. Fix: append its line when it lands: ${missing.join('\n')}`,
  );
});
