/** Documents of the workspace, read through a real supervisor into a real store, and what people and models then see of them. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { MemoryCommand } from '@hamlet/contract';
import { openMemory } from '@hamlet/engine/memory';
import { repositoryId } from '@hamlet/core/git';
import { atEnd, testFolder, untilEnd } from '@hamlet/test/env/at-end';
import { startHands } from '@hamlet/test/env/hands/start-hands';
import type { BookedRun } from '../../engine/run-book.ts';
import { createMemoryMirror } from '../../memory/mirror/memory-mirror.ts';
import { createOwnMemory } from '../../memory/own-memory.ts';
import { rememberDocumentsWith } from '../../tools/remember-documents.ts';
import { aHandsKit, callContext, useTool } from '../../testing/a-hands-kit.ts';
import { ok } from '../../testing/scripted-village.ts';
import type { ToolKit } from '../../tools/tool-kit.ts';
import { villageTools } from '../../tools/village-tools.ts';

const hands = untilEnd(await startHands());
const store = openMemory({ dir: testFolder('documents') });
atEnd(async () => store.close());

function put(path: string, text: string): void {
  const file = join(hands.workspace, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const MILL = 'https://git.example/mill.git';
const RUNS: Readonly<Record<string, Partial<BookedRun>>> = {
  ana: { audience: ['ana'], repository: null },
  tainted: { audience: ['ana'], repository: null },
  ben: { audience: ['ben'], repository: null },
  mill: { audience: ['ana'], repository: { url: MILL, branch: 'main' } as BookedRun['repository'] },
};
const noted: object[] = [];
const isMarked = new Set<string>();
const work = {
  noteMemories: async (run: string, _lease: unknown, { written, recalled }: Record<string, readonly string[]>) => {
    noted.push({ run, written, recalled });
    if (run === 'tainted') for (const id of written ?? []) isMarked.add(id);
    const known = [...(written ?? []), ...(recalled ?? [])];
    return ok({ tainted: known.filter((id) => isMarked.has(id)), forgotten: [] });
  },
};
const kit = {
  ownMemory: createOwnMemory(store),
  repositoryMemory: { has: () => false },
  book: { find: (run: string) => RUNS[run] },
  work,
  rest: async () => {},
  random: () => 0,
} as unknown as ToolKit;
const inHands = useTool(aHandsKit(hands, { rememberDocuments: rememberDocumentsWith(kit) }));
const inPod = villageTools(kit);

let calls = 0;
async function textOf(run: string, name: string, input: object): Promise<string> {
  const place = { run, key: `${(calls += 1)}`.padStart(12, '0'), call: `1.${calls}` };
  const prepared = inPod.find((tool) => tool.name === name)?.prepare(input);
  const outcome =
    prepared?.ok === true ? await prepared.call.execute(callContext(place)) : await inHands(name, input, place);
  return 'text' in outcome ? outcome.text : JSON.stringify(outcome);
}

test('an agent reads a folder, finds its lines with their place and version, and reads again only what has changed', async () => {
  put('guide/boats.md', '# Boats\n\nAn oar of ash wood lasts eleven winters.\n');
  put('guide/src/mast.ts', "export function raiseMast(): void {\n  hoist('mainsail');\n}\n");
  put('guide/.env', 'PASSWORD=Quetzalcoatlus');
  put('guide/image.png', '\u0000\u0001');
  symlinkSync('/etc/passwd', join(hands.workspace, 'guide/passwd'));
  const folder = join(hands.workspace, 'guide');
  const read = await textOf('ana', 'remember_documents', { path: 'guide' });
  assert.match(
    read,
    /is remembered as doc-\w+: 2 files in 2 pieces \(0 unchanged, 0 changed, 0 gone\)\.\nLeft out: .*1 are not UTF-8 text/,
  );
  assert.match(read, /1 have names of files with keys or passwords/);
  const id = /doc-\w+/.exec(read)?.[0] ?? '';
  assert.deepEqual(noted.at(-1), { run: 'ana', written: [id], recalled: [] });
  const found = await textOf('ana', 'search_memories', { query: 'how many winters does an oar last' });
  assert.match(found, new RegExp(`\\[boats\\.md:1–3\\] of ${folder} \\(${id}\\), version [0-9a-f]{12}\\n# Boats`));
  assert.deepEqual(noted.at(-1), { run: 'ana', written: [], recalled: [id] });
  assert.match(await textOf('ana', 'search_memories', { query: 'raiseMast' }), /\[src\/mast\.ts:1–3\]/);
  assert.match(
    await textOf('ana', 'list_memories', {}),
    new RegExp(`- ${id}, documents: ${folder}, 2 files in 2 pieces`),
  );
  put('guide/boats.md', '# Boats\n\nAn oar of pine lasts four winters.\n');
  rmSync(join(hands.workspace, 'guide/src'), { recursive: true });
  put('guide/sails.md', 'A sail is washed in May.\n');
  assert.match(
    await textOf('ana', 'remember_documents', { path: 'guide' }),
    new RegExp(`as ${id}: 2 files in 2 pieces \\(0 unchanged, 1 changed, 1 gone\\)`),
  );
  assert.doesNotMatch(await textOf('ana', 'search_memories', { query: 'oar of ash wood, raiseMast' }), /eleven|hoist/);
});

test('documents are for the people of their run and for its repository; a single file is a source too', async () => {
  put('plan.txt', 'The harvest begins on the ninth.\n');
  put('mill/wheel.txt', 'The harvest turns the wheel of the mill.\n');
  assert.match(await textOf('ana', 'remember_documents', { path: 'plan.txt' }), /1 file in 1 piece /);
  assert.match(await textOf('mill', 'remember_documents', { path: 'mill' }), /1 file in 1 piece /);
  const seen = async (run: string) =>
    (await textOf(run, 'search_memories', { query: 'harvest' })).match(/\[\w+\.txt:/g)?.toSorted() ?? [];
  assert.deepEqual(
    [await seen('ana'), await seen('ben'), await seen('mill')],
    [['[plan.txt:'], [], ['[plan.txt:', '[wheel.txt:']],
  );
  const [wheel] = store.documents.sources({ audience: ['ana'], place: repositoryId(MILL) });
  assert.equal(wheel?.repository, repositoryId(MILL));
  assert.match(await textOf('ben', 'forget', { memory_id: wheel?.id }), /There is no memory/);
  assert.match(await textOf('mill', 'forget', { memory_id: wheel?.id }), /is forgotten/);
  assert.deepEqual(await seen('mill'), ['[plan.txt:']);
  assert.match(await textOf('ana', 'remember_documents', { path: 'none' }), /none/);
  assert.match(await textOf('ana', 'remember_documents', { path: '../..' }), /outside/);
});

test('documents that a tainted run has read mark the runs that recall them', async () => {
  put('page/news.txt', 'The bridge over the Saane is closed.\n');
  await textOf('tainted', 'remember_documents', { path: 'page' });
  const source = store.documents.find({ name: join(hands.workspace, 'page'), audience: ['ana'], repository: null });
  assert.equal(source?.taint, 'outside');
  await textOf('ana', 'search_memories', { query: 'bridge over the Saane' });
  assert.ok(isMarked.has(source?.id ?? ''));
  assert.ok(JSON.stringify(noted.at(-1)).includes(source?.id ?? 'none'));
});

test('people see each source as one entry, and forgetting it removes its documents', async () => {
  const sources = store.documents.sources({ audience: 'keeper' });
  const [first] = sources;
  assert.ok(first !== undefined && sources.length > 1);
  const commands: MemoryCommand[] = [];
  const shown = new Map<string, unknown>();
  let applied = { applied: 0 };
  const mirror = createMemoryMirror({
    memory: store,
    sync: async (body) => {
      for (const { memory_id: id, speaker, outside } of body.memories ?? []) shown.set(id, [speaker, outside]);
      return ok({ commands: commands.filter(({ number }) => number > body.applied), more: false, life: 'uid' });
    },
    applied: { read: () => applied, write: (newest) => (applied = newest) },
    mind: () => ({ goal: null, plan: null }),
    log: { warn: () => {} },
  });
  const stop = new AbortController();
  const running = mirror.run(stop.signal);
  while (shown.size < sources.length) await new Promise((resolve) => setTimeout(resolve, 1));
  stop.abort();
  await running;
  assert.deepEqual(shown, new Map(sources.map(({ id, taint }) => [id, ['documents', taint === 'outside']])));
  commands.push({ op: 'forget', number: 1, memory_id: first.id });
  assert.equal(await mirror.catchUp(), true);
  assert.equal(store.documents.sources({ audience: 'keeper' }).length, sources.length - 1);
});
