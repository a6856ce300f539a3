import assert from 'node:assert/strict';
import { fstatSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeSync, closeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { openMemory } from '../open-memory.ts';
import type { Memory } from '../memory.ts';
import type { Ingested, NewSource, SourceFile } from './documents.ts';
import { MAX_FILE_BYTES } from './limits.ts';

const folders: string[] = [];
const open: Memory[] = [];
after(() => {
  open.forEach((memory) => memory.close());
  folders.forEach((folder) => rmSync(folder, { recursive: true, force: true }));
});

function newMemory(dir = mkdtempSync(join(tmpdir(), 'hamlet-documents-'))): Readonly<{ memory: Memory; dir: string }> {
  folders.push(dir);
  const memory = openMemory({ dir });
  open.push(memory);
  return { memory, dir };
}

function closed(memory: Memory): void {
  memory.close();
  open.splice(open.indexOf(memory), 1);
}

type Contents = Readonly<Record<string, string | Uint8Array>>;

const filesOf = (contents: Contents): readonly SourceFile[] =>
  Object.entries(contents).map(([path, content]) => ({ path, read: async () => Buffer.from(content) }));

const ANA = ['ana'];
const GUIDE: NewSource = { name: '/workspace/guide', audience: ANA };

/** Counts of a pass that was not refused. */
function countsOf(ingested: Ingested) {
  assert.ok(ingested.outcome === 'ingested', JSON.stringify(ingested));
  const { skipped, ...counts } = ingested.counts;
  return { ...counts, skipped: Object.values(skipped).reduce((sum, each) => sum + each) };
}

const idOf = (ingested: Ingested): string => (ingested.outcome === 'ingested' ? ingested.id : assert.fail());

const filler = (topic: string): string =>
  Array.from({ length: 40 }, (_, line) => `Sentence ${line} about ${topic} and more of it.`).join('\n\n');

/** The files of the store that contain these bytes. */
const filesWith = (dir: string, text: string): readonly string[] =>
  readdirSync(dir).filter((name) => readFileSync(join(dir, name)).includes(text));

test('a hit cites lines that have exactly its text, with the hash of the version', async () => {
  const { memory } = newMemory();
  const contents: Contents = {
    'boats.md': `# Boats\n\n${filler('hulls')}\n\n## Oars\n\nAn oar of ash wood lasts eleven winters.\n`,
    'src/mast.ts': `${filler('sails')}\n\nexport function raiseMast(): void {\n  hoist('mainsail');\n}\n`,
  };
  const counts = countsOf(await memory.documents.ingest(GUIDE, filesOf(contents)));
  assert.equal(counts.files, 2);
  for (const [query, path, words] of [
    ['how long does an oar last', 'boats.md', 'eleven winters'],
    ['raiseMast', 'src/mast.ts', 'hoist'],
    ['mast.ts', 'src/mast.ts', ''],
  ] as const) {
    const [hit] = await memory.documents.search(query, { audience: ANA });
    assert.ok(hit !== undefined && hit.path === path && hit.text.includes(words), query);
    const lines = String(contents[path])
      .split('\n')
      .slice(hit.from - 1, hit.to);
    assert.equal(hit.text, lines.join('\n'));
    assert.match(hit.sha256, /^[0-9a-f]{64}$/);
    assert.equal(hit.name, GUIDE.name);
  }
  assert.ok((await memory.maintain()).embedded > 0);
  while ((await memory.maintain()).more);
  const [misspelt] = await memory.documents.search('eleven wintrs', { audience: ANA });
  assert.equal(misspelt?.path, 'boats.md');
});

test('a second pass reads what has changed: unchanged files stay, changed ones are replaced, others go, and no byte stays', async () => {
  const { memory, dir } = newMemory();
  const first = {
    'same.md': filler('apples'),
    'changed.md': 'The password was Quetzalcoatlus.',
    'gone.md': 'Zanzibarine.',
  };
  const id = idOf(await memory.documents.ingest(GUIDE, filesOf(first)));
  for (const trace of ['Quetzalcoatlus', 'quetzalcoatlu', 'Zanzibarine', 'gone.md'])
    assert.ok(filesWith(dir, trace).length > 0, trace);
  const again = await memory.documents.ingest(GUIDE, filesOf(first));
  assert.deepEqual(
    { ...countsOf(again), id: idOf(again) },
    { files: 3, unchanged: 3, replaced: 0, removed: 0, chunks: countsOf(again).chunks, skipped: 0, id },
  );
  const changed = { 'same.md': first['same.md'], 'changed.md': 'The password is elsewhere.', 'new.md': 'Marmalade.' };
  const { chunks: _, ...counts } = countsOf(await memory.documents.ingest(GUIDE, filesOf(changed)));
  assert.deepEqual(counts, { files: 3, unchanged: 1, replaced: 1, removed: 1, skipped: 0 });
  for (const trace of ['Quetzalcoatlus', 'quetzalcoatlu', 'Zanzibarine', 'zanzibarin', 'gone.md'])
    assert.deepEqual(filesWith(dir, trace), [], trace);
  const [source] = memory.documents.sources({ audience: ANA });
  assert.deepEqual([source?.id, source?.files, source?.isWhole], [id, 3, true]);
});

test('a removed source leaves no byte, not even of its name', async () => {
  const { memory, dir } = newMemory();
  const id = idOf(await memory.documents.ingest(GUIDE, filesOf({ 'a.md': `Quetzalcoatlus ${filler('wings')}` })));
  const other = await memory.documents.ingest({ ...GUIDE, name: 'other' }, filesOf({ 'b.md': 'Plum jam.' }));
  while ((await memory.maintain()).more);
  assert.equal(await memory.documents.remove(id, { audience: ANA }), true);
  assert.equal(await memory.documents.remove(id, { audience: ANA }), false);
  for (const trace of ['Quetzalcoatlus', 'quetzalcoatlu', GUIDE.name])
    assert.deepEqual(filesWith(dir, trace), [], trace);
  const found = await memory.documents.search('quetzalcoatlus wings', { audience: ANA });
  assert.deepEqual(
    found.filter(({ source }) => source === id),
    [],
  );
  assert.deepEqual(
    memory.documents.sources({ audience: ANA }).map((each) => each.id),
    [idOf(other)],
  );
  assert.equal(memory.documents.size(), 1);
});

test('documents are for their people and their repository, and taint stays', async () => {
  const { memory } = newMemory();
  const files = filesOf({ 'plan.md': 'The harvest begins on the ninth.' });
  await memory.documents.ingest(GUIDE, files);
  await memory.documents.ingest({ ...GUIDE, audience: ['ana', 'ben'], repository: 'mill' }, files);
  await memory.documents.ingest({ ...GUIDE, audience: 'public', taint: 'outside' }, files);
  await memory.documents.ingest({ ...GUIDE, audience: 'public' }, files);
  const seenBy = async (audience: readonly string[], place?: string | null) => {
    const seen = { audience, ...(place !== undefined && { place }) };
    const hits = (await memory.documents.search('harvest on the ninth', seen)).length;
    assert.equal(memory.documents.sources(seen).length, hits);
    return hits;
  };
  assert.deepEqual(
    [
      await seenBy(ANA),
      await seenBy(['ben']),
      await seenBy(['cid']),
      await seenBy(ANA, null),
      await seenBy(['ben'], 'mill'),
    ],
    [3, 2, 1, 2, 2],
  );
  const [common] = memory.documents.sources({ audience: ['cid'] });
  assert.equal(common?.taint, 'outside');
  const mine = memory.documents.sources({ audience: 'keeper' }).find(({ repository }) => repository === 'mill');
  assert.equal(await memory.documents.remove(mine?.id ?? '', { audience: ['cid'] }), false);
});

test('documents are apart from memories: in searches, in lists and in the count', async () => {
  const { memory } = newMemory();
  const said = {
    kind: 'evidence',
    session: 's',
    turn: 1,
    speaker: 'ana',
    text: 'The key is under the mat',
    audience: ANA,
  } as const;
  await memory.remember([said]);
  const [before, stats] = [await memory.search('key mat', { audience: ANA, explain: true }), memory.stats()];
  const copies = Object.fromEntries(
    Array.from({ length: 200 }, (_, n) => [`${n}.md`, `key mat: the key under the mat ${n}`]),
  );
  await memory.documents.ingest(GUIDE, filesOf(copies));
  const later = await memory.search('key mat', { audience: ANA, explain: true });
  assert.deepEqual(
    later.map(({ memory: { id }, explanation }) => [id, explanation?.parts.words]),
    before.map(({ memory: { id }, explanation }) => [id, explanation?.parts.words]),
  );
  assert.equal(memory.stats().evidence, stats.evidence);
  assert.equal((await memory.documents.search('key mat', { audience: ANA, k: 100 })).length, 100);
});

test('binary, generated, secret, unreadable and too large files are skipped and counted, and an earlier version of them goes', async () => {
  const { memory, dir } = newMemory();
  await memory.documents.ingest(GUIDE, filesOf({ 'a.txt': 'Quetzalcoatlus as text' }));
  const ingested = await memory.documents.ingest(GUIDE, [
    ...filesOf({
      'a.txt': Buffer.from([0xff, 0xfe, 0x00, 0x41]),
      'latin.txt': Buffer.from([0x63, 0x61, 0x66, 0xe9]),
      'package-lock.json': '{}',
      'x/node_modules/y/index.js': 'export {};',
      'api.ts': '// Code generated by a tool. DO NOT EDIT.\n',
      'bundle.js': 'a=1;'.repeat(3_000),
      '.env': 'KEY=1',
      '.env.production': 'KEY=2',
      id_ed25519: 'key',
      '.env.example': 'KEY=',
      'large.txt': 'word '.repeat(MAX_FILE_BYTES / 4),
    }),
    { path: 'vanished.txt', read: async () => null },
  ]);
  assert.ok(ingested.outcome === 'ingested');
  const { files, removed, skipped } = ingested.counts;
  assert.deepEqual(
    { files, removed, skipped },
    { files: 1, removed: 1, skipped: { binary: 2, generated: 4, secret: 3, unreadable: 2, no_room: 0 } },
  );
  assert.deepEqual(filesWith(dir, 'Quetzalcoatlus'), []);
});

test('a source that is not valid, and one too many, are refused', async () => {
  const { memory } = newMemory();
  const refusal = async (source: NewSource) => {
    const ingested = await memory.documents.ingest(source, []);
    return ingested.outcome === 'refused' ? ingested.reason : null;
  };
  for (const wrong of [{ name: '' }, { name: 'x'.repeat(1_001) }, { audience: [] }])
    assert.equal(await refusal({ ...GUIDE, ...wrong }), 'invalid');
  for (let number = 0; number < 200; number += 1) assert.equal(await refusal({ ...GUIDE, name: `${number}` }), null);
  assert.equal(await refusal(GUIDE), 'too_many_sources');
});

test('an interrupted pass leaves whole files, says so, and the next pass completes it', async () => {
  const { memory } = newMemory();
  const contents = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`${n}.md`, filler(`topic${n}`).repeat(5)]));
  const stop = new AbortController();
  const passes: number[] = [];
  const how = {
    signal: stop.signal,
    onProgress: ({ files }: { files: number }) => {
      passes.push(files);
      stop.abort(new Error('stopped'));
    },
  };
  await assert.rejects(
    memory.documents.ingest(GUIDE, filesOf({ ...contents, 'last.md': filler('z') }), how),
    /stopped/,
  );
  const [half] = memory.documents.sources({ audience: ANA });
  assert.ok(half !== undefined && !half.isWhole && half.at === null && half.files < 12);
  const ended = countsOf(await memory.documents.ingest(GUIDE, filesOf(contents)));
  assert.ok(ended.unchanged > 0 && ended.unchanged < 12 && ended.files === 12);
  assert.equal(memory.documents.sources({ audience: ANA })[0]?.isWhole, true);
  const { memory: fresh } = newMemory();
  await fresh.documents.ingest(GUIDE, filesOf(contents));
  const textsIn = async (of: Memory) =>
    (await of.documents.search('topic7 sentence', { audience: ANA, k: 100 }))
      .map(({ path, from, to }) => `${path}:${from}-${to}`)
      .toSorted();
  assert.deepEqual(await textsIn(memory), await textsIn(fresh));
});

test('the removal of an unknown source returns while a pass reads a file without end', async () => {
  const { memory } = newMemory();
  const ends = Promise.withResolvers<null>();
  const pass = memory.documents.ingest(GUIDE, [{ path: 'endless.md', read: () => ends.promise }]);
  const first = Promise.race([memory.documents.remove('m-1', { audience: 'keeper' }), pass]);
  setTimeout(() => ends.resolve(null), 1_000);
  assert.equal(await first, false);
  await pass;
});

test('a removal does not wait for a file that never ends: a pass over its source ends, that over another one continues', async () => {
  const { memory, dir } = newMemory();
  const { documents } = memory;
  const jam = idOf(await documents.ingest({ ...GUIDE, name: 'jam' }, filesOf({ 'jam.md': 'Mirabelle jam.' })));
  const [stored, last] = [Promise.withResolvers<void>(), Promise.withResolvers<Uint8Array>()];
  const large = filesOf({ 'wings.md': `Quetzalcoatlus. ${filler('wings').repeat(60)}` });
  const pass = documents.ingest(GUIDE, [...large, { path: 'last.md', read: () => last.promise }], {
    onProgress: () => stored.resolve(),
  });
  await stored.promise;
  assert.equal(await documents.remove(jam, { audience: ANA }), true);
  assert.deepEqual(filesWith(dir, 'mirabell'), []);
  const [guide] = documents.sources({ audience: ANA });
  assert.equal(guide?.isWhole, false);
  assert.equal(await documents.remove(guide?.id ?? '', { audience: ANA }), true);
  const ended = await pass;
  assert.equal(ended.outcome === 'refused' ? ended.reason : null, 'removed');
  const next = documents.ingest({ ...GUIDE, name: 'next' }, filesOf({ 'next.md': 'Damson jam.' }));
  last.resolve(Buffer.from('Quetzalcoatlus again.'));
  assert.equal(countsOf(await next).files, 1);
  for (const trace of ['Quetzalcoatlus', 'quetzalcoatlu', GUIDE.name])
    assert.deepEqual(filesWith(dir, trace), [], trace);
  assert.equal(documents.size(), 1);
});

test('a pass ends with its signal while it waits for a file', async () => {
  const { memory } = newMemory();
  const [stop, read] = [new AbortController(), Promise.withResolvers<null>()];
  const pass = memory.documents.ingest(GUIDE, [{ path: 'endless.md', read: () => read.promise }], {
    signal: stop.signal,
  });
  stop.abort(new Error('stopped'));
  await assert.rejects(pass, /stopped/);
  read.resolve(null);
});

test('damage costs the documents, which can be read again; their sources and the memories stay', async () => {
  const { memory, dir } = newMemory();
  const contents = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`${n}.md`, filler(`topic${n}`).repeat(5)]));
  const id = idOf(await memory.documents.ingest(GUIDE, filesOf(contents)));
  await memory.remember([{ kind: 'fact', subject: 'Ana', text: 'Ana keeps goats', audience: ANA }]);
  closed(memory);
  const file = openSync(join(dir, 'documents.db'), 'r+');
  const pages = fstatSync(file).size / 4_096;
  for (let page = 60; page < pages; page += 1) writeSync(file, Buffer.alloc(4_096, 0xab), 0, 4_096, page * 4_096);
  closeSync(file);
  const { memory: again } = newMemory(dir);
  assert.equal(again.stats().facts, 1);
  await again.documents.search('topic3 topic20 sentence', { audience: ANA });
  await again.documents.ingest(GUIDE, filesOf(contents));
  const [source] = again.documents.sources({ audience: ANA });
  assert.deepEqual([source?.id, source?.files, source?.isWhole], [id, 30, true]);
  assert.ok((await again.documents.search('topic20', { audience: ANA })).some(({ path }) => path === '20.md'));
});

test('only the store of memories logs changes, because only its copy takes them', async () => {
  const { memory, dir } = newMemory();
  await memory.documents.ingest(GUIDE, filesOf({ 'a.md': 'Rye rises slowly.' }));
  closed(memory);
  const database = new DatabaseSync(join(dir, 'documents.db'), { readOnly: true });
  const logs = database
    .prepare("select name from sqlite_schema where name in ('change', 'copy', 'memory_added')")
    .all();
  database.close();
  assert.deepEqual(logs, []);
});
