import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openFolder } from './servers.ts';

/** No process has this id. */
const DEAD = 2 ** 30;
const made: string[] = [];
after(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

test('folders of killed processes are deleted from the memory and from the disk, wherever the next folder is', async () => {
  const parents = ['/dev/shm', tmpdir()].filter((parent) => existsSync(parent));
  const left = parents.map((parent) => join(parent, `hamlet-test-servers-${DEAD}-${process.pid}`));
  made.push(...left);
  for (const folder of left) mkdirSync(folder);
  made.push(await openFolder());
  assert.deepEqual(
    left.filter((folder) => existsSync(folder)),
    [],
  );
});
