import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openMemory } from '../open-memory.ts';

const folders: string[] = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** Reads 40 files of a version again and again, and prints after each batch that is on disk. */
const PASSES = `
  import { openMemory } from '${new URL('../open-memory.ts', import.meta.url).href}';
  const { documents } = openMemory({ dir: process.argv[1] });
  const contentOf = (version, file) => ('Version' + version + ' of file' + file + ' says something.\\n\\n').repeat(200);
  for (let version = 0; ; version += 1) {
    const files = Array.from({ length: 40 }, (_, file) => ({
      path: file + '.txt', read: async () => Buffer.from(contentOf(version, file)),
    }));
    const onProgress = () => process.stdout.write(version + '\\n');
    await documents.ingest({ name: 'folder', audience: 'public' }, files, { onProgress });
  }
`;

async function killedAfter(dir: string, batches: number): Promise<void> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PASSES, dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (data: Buffer) => {
    printed += data.toString();
    if (printed.split('\n').length > batches) child.kill('SIGKILL');
  });
  await once(child, 'close');
}

for (const batches of [3, 11])
  test(`after a kill behind batch ${batches}, each file is whole in one version, and the next pass erases the others`, async () => {
    const dir = mkdtempSync(join(tmpdir(), 'hamlet-killed-'));
    folders.push(dir);
    await killedAfter(dir, batches);
    const memory = openMemory({ dir });
    const { documents } = memory;
    const hits = await documents.search('version file7 says', { audience: 'public', k: 100 });
    assert.ok(hits.length > 0);
    for (const file of new Set(hits.map(({ path }) => path))) {
      const versions = hits.filter(({ path }) => path === file).flatMap(({ text }) => text.match(/Version\d+/g) ?? []);
      assert.equal(new Set(versions).size, 1, `${file}: ${versions[0]}`);
    }
    const read = async () => Buffer.from('The last words.');
    const ingested = await documents.ingest({ name: 'folder', audience: 'public' }, [{ path: '7.txt', read }]);
    assert.ok(ingested.outcome === 'ingested');
    const [source] = documents.sources({ audience: 'public' });
    assert.deepEqual([source?.files, source?.isWhole, documents.size()], [1, true, 1]);
    const traces = readdirSync(dir).filter((name) =>
      /Version\d|version\d/.test(readFileSync(join(dir, name), 'latin1')),
    );
    assert.deepEqual(traces, []);
    memory.close();
  });

test('a removal that a kill interrupted is completed by maintenance, and the source is not shown meanwhile', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'hamlet-removed-'));
  folders.push(dir);
  const files = Array.from({ length: 30 }, (_, file) => ({
    path: `${file}.txt`,
    read: async () => Buffer.from(`Quetzalcoatlus ${file} flies.\n\n`.repeat(150)),
  }));
  const first = openMemory({ dir });
  const ingested = await first.documents.ingest({ name: 'folder', audience: 'public' }, files);
  assert.ok(ingested.outcome === 'ingested');
  const removal = first.documents.remove(ingested.id, { audience: 'public' });
  await Promise.resolve();
  await Promise.resolve();
  const left = first.documents.size();
  // The process ends here: the store closes during the removal.
  first.close();
  await assert.rejects(removal);
  const again = openMemory({ dir });
  assert.deepEqual([again.documents.size(), again.documents.sources({ audience: 'public' })], [left, []]);
  assert.ok(left > 0);
  assert.deepEqual(await again.documents.search('quetzalcoatlus', { audience: 'public' }), []);
  while ((await again.maintain()).more);
  assert.equal(again.documents.size(), 0);
  assert.deepEqual(
    readdirSync(dir).filter((name) => readFileSync(join(dir, name)).includes('Quetzalcoatlus')),
    [],
  );
  again.close();
});
