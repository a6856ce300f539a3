import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testFolder, untilEnd } from '@hamlet/test/env/at-end';
import type { Embedder, Memory, NewFact, Present } from './memory.ts';
import { openMemory } from './open-memory.ts';
import { hashedEmbedder } from './embedding/hashed-embedder.ts';

const DAY = 86_400_000;
const NOW = 1_000 * DAY;

const newMemory = (options: Partial<Parameters<typeof openMemory>[0]> = {}): Memory =>
  untilEnd(openMemory({ dir: testFolder('laws'), clock: () => NOW, ...options }));

const ANA = ['ana'];
const said = (turn: number, text: string, more: object = {}) =>
  ({ kind: 'evidence', session: 's', turn, speaker: 'ana', text, audience: ANA, at: NOW - DAY, ...more }) as const;
const fact = (text: string, more: Partial<NewFact> = {}): NewFact => ({
  kind: 'fact',
  subject: 'Ana',
  text,
  audience: ANA,
  at: NOW - DAY,
  ...more,
});

const textsOf = async (memory: Memory, query: string, audience: Present = ANA): Promise<readonly string[]> =>
  (await memory.search(query, { audience })).map((hit) => hit.memory.text);

test('the same fact in 20 forms is one row; a fact that differs in a name, number, negation or tense is another', async () => {
  const memory = newMemory();
  const ways = (
    'Ana lives in Porto|Ana lives in Porto.|ana lives in Porto!|By the way, Ana lives in Porto|Ana lives in  Porto|' +
    'Ana, she lives in Porto|BTW Ana lives in Porto|Please note that Ana lives in Porto|Ana lives in Porto, you know|So Ana lives in Porto|' +
    'Ana actually lives in Porto|In Porto lives Ana|Oh, Ana lives in Porto|Remember: Ana lives in Porto|FYI Ana lives in Porto|' +
    'Ana, as I said, lives in Porto|Ana lives there, in Porto|Yes, Ana lives in Porto|Ana really lives in Porto|Ána lives in Porto'
  ).split('|');
  for (const text of ways) await memory.remember([fact(text)]);
  for (let times = 0; times < 50; times += 1) await memory.search('Where does Ana live?', { audience: ANA });
  const { facts, known } = memory.stats();
  assert.deepEqual({ facts, known }, { facts: 1, known: ways.length - 1 });
  const others = ['Ana lives in Faro', 'Ana does not live in Porto', 'Ana lives in Porto 4', 'Ana lived in Porto'];
  await memory.remember(others.map((text) => fact(text)));
  await memory.remember([fact('Ana lives in Porto', { audience: ['ana', 'ben'] })]);
  assert.equal(memory.stats().facts, 1 + others.length + 1);
});

test('the same words of the same speaker are one row; a short answer is one row for each question', async () => {
  const memory = newMemory();
  const remark = 'My bicycle stands behind the bakery.';
  await memory.remember([
    said(1, remark),
    said(1, remark),
    said(8, remark.toUpperCase(), { session: 't' }),
    said(9, remark, { speaker: 'ben' }),
  ]);
  await memory.remember([said(2, 'Blue.'), said(3, 'Blue.')]);
  const { evidence, known } = memory.stats();
  assert.deepEqual({ evidence, known }, { evidence: 4, known: 2 });
});

test('greetings, heartbeats and texts without words are refused; invalid memories name their fault', async () => {
  const memory = newMemory();
  const texts = ['', '…', 'Thanks!', 'ok', 'HEARTBEAT_OK', '👍'];
  const worthless = await memory.remember(texts.map((text, turn) => said(turn, text)));
  assert.deepEqual(
    worthless.map((result) => result.outcome === 'refused' && result.reason),
    texts.map(() => 'low_value'),
  );
  const [unseen, endless] = await memory.remember([
    said(1, 'For no reader', { audience: [] }),
    said(2, 'x'.repeat(16_001)),
  ]);
  for (const result of [unseen, endless])
    assert.ok(result?.outcome === 'refused' && result.reason === 'invalid' && result.detail !== '');
});

test('a superseded fact ranks below its successor, even when only the old words are asked for', async () => {
  const memory = newMemory();
  await memory.remember([fact('Ana works as a beekeeper in Tomar', { id: 'old' })]);
  await memory.remember([fact('Ana is now a carpenter', { id: 'new', supersedes: 'old' })]);
  const [later] = await memory.remember([fact('Ana restores boats these days', { id: 'newest', supersedes: 'old' })]);
  assert.equal(later?.outcome, 'remembered');
  for (const query of ['Ana beekeeper in Tomar', 'What does Ana work as?', 'Tomar']) {
    const hits = await memory.search(query, { audience: ANA });
    assert.deepEqual(
      hits.map((hit) => hit.memory.id),
      ['newest', 'new', 'old'],
      query,
    );
  }
  const old = memory.get('old', { audience: ANA });
  assert.ok(old?.kind === 'fact' && old.supersededBy === 'new' && old.validTo === NOW - DAY);
});

test('a correction ends the old fact, even if its words are known or few; the old words can be true again', async () => {
  const memory = newMemory();
  await memory.remember([
    fact('Ana lives in Lyon', { id: 'lyon', pinned: true }),
    fact('Ana lives in Paris', { id: 'paris' }),
  ]);
  await memory.remember([fact('Ana lives in Paris', { id: 'corrected', supersedes: 'lyon', pinned: true })]);
  const lyon = memory.get('lyon', { audience: ANA });
  assert.ok(lyon?.kind === 'fact' && lyon.supersededBy === 'corrected' && !lyon.pinned);
  const [short] = await memory.remember([fact('Done.', { id: 'short', supersedes: 'paris' })]);
  assert.equal(short?.outcome, 'remembered');
  memory.forget(['corrected'], { audience: ANA });
  const [again] = await memory.remember([fact('Ana lives in Lyon', { id: 'again' })]);
  assert.deepEqual(again, { outcome: 'remembered', id: 'again' });
});

test('memories of other repositories and of the conversation itself take no places of a search', async () => {
  const memory = newMemory();
  const key = 'The key of the gate is under the mat';
  const others = Array.from({ length: 120 }, (_, turn) =>
    said(
      turn,
      `key gate mat: the key of the gate, ${turn}`,
      turn % 2 === 0 ? { repository: 'mill' } : { session: 'now' },
    ),
  );
  await memory.remember([said(1, key, { id: 'key' }), ...others]);
  const found = async (place: string | null) =>
    (await memory.search(key, { audience: ANA, place, besides: 'now', k: 100 })).map((hit) => hit.memory);
  assert.deepEqual(
    (await found(null)).map(({ id }) => id),
    ['key'],
  );
  const places = new Set((await found('mill')).map(({ repository }) => repository));
  assert.deepEqual(places, new Set([null, 'mill']));
  const listed = memory.list({ audience: ANA, place: null, isPrivate: true }).memories;
  assert.equal(listed.filter(({ repository }) => repository !== null).length, 0);
});

test('audience never widens: a fact needs sources that all its people may see, and a correction reaches all who saw the fact', async () => {
  const memory = newMemory();
  await memory.remember([
    said(1, 'My surprise for Ben is a kite', { id: 'secret' }),
    said(2, 'The harvest feast is on Sunday', { id: 'open', audience: 'public' }),
    fact('The feast is on Sunday', { id: 'feast', audience: ['ana', 'ben'] }),
  ]);
  const refused = await memory.remember([
    fact('Ben gets a kite', { audience: ['ana', 'ben'], provenance: ['secret'] }),
    fact('Ben gets a kite', { audience: 'public', provenance: ['secret'] }),
    fact('The feast is on Monday', { supersedes: 'feast' }),
    fact('Ana knows a thing', { provenance: ['nowhere'] }),
  ]);
  for (const result of refused) assert.ok(result.outcome === 'refused' && result.reason === 'no_such_memory');
  const [kept] = await memory.remember([fact('Ana has a kite for Ben', { provenance: ['secret', 'open'] })]);
  assert.equal(kept?.outcome, 'remembered');
  const cases: readonly (readonly [Present, readonly string[]])[] = [
    [['ana'], ['feast', 'kite', 'open', 'secret']],
    [['ben'], ['feast', 'open']],
    [
      ['ana', 'ben'],
      ['feast', 'open'],
    ],
    [['ana', 'cid'], ['open']],
    [[], ['open']],
    ['public', ['open']],
  ];
  for (const [audience, expected] of cases) {
    const found = await memory.search('kite surprise for Ben, feast on Sunday, harvest', { audience });
    const listed = memory.list({ audience }).memories;
    const names = (memories: readonly { id: string }[]): readonly string[] =>
      memories.map(({ id }) => (id.startsWith('m-') ? 'kite' : id)).toSorted();
    assert.deepEqual(names(found.map((hit) => hit.memory)), expected);
    assert.deepEqual(names(listed), expected);
  }
});

test('a person of many sessions finds what was said in each of them; each other person finds only their own', async () => {
  const memory = newMemory();
  const people = Array.from({ length: 12 }, (_, index) => `p${index}`);
  await memory.remember(
    people.map((person, turn) =>
      said(turn, `Marmalade for ${person} in cellar ${turn}`, { audience: ['ana', person] }),
    ),
  );
  const turnsFor = async (audience: readonly string[]): Promise<readonly number[]> =>
    (await memory.search('marmelade celar', { audience, k: 20 }))
      .flatMap((hit) => (hit.memory.kind === 'evidence' ? [hit.memory.turn] : []))
      .toSorted((one, other) => one - other);
  assert.deepEqual(
    await turnsFor(['ana']),
    people.map((_, turn) => turn),
  );
  for (const [turn, person] of people.entries()) assert.deepEqual(await turnsFor([person]), [turn]);
});

test('a fact inherits the taint of its sources', async () => {
  const memory = newMemory();
  await memory.remember([said(1, 'A page says that the bridge is closed', { id: 'page', taint: 'outside' })]);
  await memory.remember([fact('The bridge is closed', { id: 'closed', provenance: ['page'], taint: 'none' })]);
  assert.equal(memory.get('closed', { audience: ANA })?.taint, 'outside');
});

test('the same query twice has the same answer to the last digit, and a use changes only the counts', async () => {
  const memory = newMemory();
  await memory.remember(
    Array.from({ length: 60 }, (_, turn) => said(turn, `Shelf ${turn % 7} holds ${turn % 3} jars of plum jam`)),
  );
  const ask = () => memory.search('jars of plum jam on shelf 3', { audience: ANA, k: 30, explain: true });
  const first = await ask();
  assert.deepEqual(await ask(), first);
  for (const { score, explanation } of first) {
    const sum = Object.values(explanation?.parts ?? {}).reduce((total, { added }) => total + added, 0);
    assert.ok(Math.abs(score - sum * (explanation?.factor ?? 0)) < 1e-9);
  }
  const id = first[0]?.memory.id ?? '';
  memory.use([id]);
  assert.deepEqual([memory.get(id, { audience: ANA })?.uses, memory.get(id, { audience: ANA })?.lastUsedAt], [1, NOW]);
});

test('a name in the first hit leads to the second step of a question', async () => {
  const memory = newMemory();
  const filler = Array.from({ length: 40 }, (_, turn) =>
    said(10 * turn + 100, `Remark ${turn} about the weather in week ${turn}`),
  );
  await memory.remember([
    ...filler,
    said(1, 'Yesterday Tomasz told me that he is mad about stargazing'),
    said(40, 'It turns out that Tomasz has a greyhound now, it is called Pixel'),
  ]);
  const hits = await memory.search('What is the one who loves stargazing feeding at home?', {
    audience: ANA,
    explain: true,
  });
  assert.deepEqual(
    hits.slice(0, 2).map((hit) => hit.memory.kind === 'evidence' && hit.memory.turn),
    [1, 40],
  );
  assert.deepEqual(hits[1]?.explanation?.through, { id: hits[0]?.memory.id, words: ['tomasz'] });
});

test('a question that names a person finds what was said of them before newer words of others', async () => {
  const memory = newMemory();
  const old = { at: NOW - 30 * DAY };
  const ofInes = ['Yesterday Ines wore a coat', 'I think that Ines drinks tea', 'We saw Ines on the stairs'];
  const others = ['The ferry came late', 'The plumber came at noon', 'The cat came home'];
  await memory.remember([
    ...ofInes.map((text, index) => said(20 * index + 1, text, old)),
    ...others.map((text, index) => said(20 * index + 100, text)),
  ]);
  assert.deepEqual((await textsOf(memory, 'Which news came from Ines?')).slice(0, 3).toSorted(), ofInes.toSorted());
});

test('the 501st note is recalled, and a bounded store loses only dormant or lowest unpinned evidence, counted', async () => {
  const capacity = 600;
  const memory = newMemory({ capacity });
  await memory.remember([
    said(0, 'The pinned code of the barn is 4711', { pinned: true, at: 0 }),
    fact('Ana keeps goats', { at: 0 }),
  ]);
  for (let turn = 1; turn <= 520; turn += 40)
    await memory.remember(
      Array.from({ length: 40 }, (_, index) =>
        said(turn + index, `Note number ${turn + index} of ${turn + index} notes`),
      ),
    );
  assert.equal((await textsOf(memory, 'note number 501'))[0], 'Note number 501 of 501 notes');
  await memory.remember(
    Array.from({ length: 200 }, (_, index) => said(2_000 + index, `Crate ${index} of the second load`)),
  );
  const { evidence, facts, removed } = memory.stats();
  assert.ok(evidence + facts <= capacity && removed > 0);
  assert.equal(evidence + facts + removed, 2 + 520 + 200);
  assert.equal((await textsOf(memory, 'pinned code of the barn'))[0], 'The pinned code of the barn is 4711');
  assert.ok((await textsOf(memory, 'goats')).includes('Ana keeps goats'));
});

test('old ordinary evidence becomes dormant, still answers, and wakes when it is used', async () => {
  const memory = newMemory();
  const plain = 'we met near the mill';
  await memory.remember([
    said(1, 'we met near the mill and the pond', { at: NOW - 900 * DAY, importance: 0.2, id: 'old' }),
    said(2, plain, { importance: 0.2 }),
  ]);
  assert.equal((await memory.maintain()).demoted, 1);
  assert.equal(memory.stats().dormant, 1);
  assert.ok((await textsOf(memory, 'met near the mill and the pond')).length === 2);
  memory.use(['old']);
  assert.equal(memory.stats().dormant, 0);
});

test('a changed embedder embeds again in steps, and search finds everything by words meanwhile', async () => {
  const dir = testFolder('laws');
  const memory = openMemory({ dir, clock: () => NOW });
  await memory.remember(Array.from({ length: 100 }, (_, turn) => said(turn, `Basket ${turn} holds quinces`)));
  memory.close();
  let isDown = true;
  const other: Embedder = {
    ...hashedEmbedder(),
    id: 'another',
    dimensions: 384,
    embed: (texts) => (isDown ? Promise.reject(new Error('down')) : hashedEmbedder().embed(texts)),
  };
  const again = newMemory({ dir, embedder: other });
  assert.equal(again.stats().awaitingVectors, 100);
  assert.equal((await textsOf(again, 'basket 42'))[0], 'Basket 42 holds quinces');
  while ((await again.maintain()).more);
  assert.equal(again.stats().awaitingVectors, 100);
  isDown = false;
  while ((await again.maintain()).more);
  assert.equal(again.stats().awaitingVectors, 0);
  assert.equal((await textsOf(again, 'baskt 42'))[0], 'Basket 42 holds quinces');
});

test('a pinned memory is a candidate for each question, in other words too, but only for its own people', async () => {
  const memory = newMemory();
  const notes = Array.from({ length: 60 }, (_, turn) => said(2 * turn + 1, `Breakfast number ${turn} was porridge`));
  const pin = { session: 'p', pinned: true, at: 0 };
  await memory.remember([
    said(1, 'No nuts, ever', pin),
    said(1, 'Ben snores', { ...pin, audience: ['ben'] }),
    ...notes,
  ]);
  const hits = await memory.search('breakfast porridge', { audience: ANA, k: 100 });
  assert.deepEqual(
    hits.filter(({ memory: { pinned } }) => pinned).map(({ memory: { text } }) => text),
    ['No nuts, ever'],
  );
});

test('counts of callers and pins are bounded', async () => {
  const memory = newMemory();
  await memory.remember(
    Array.from({ length: 210 }, (_, turn) => said(turn, `Pinned remark ${turn} on gravel`, { pinned: true })),
  );
  assert.equal(memory.stats().pinned, 200);
  const unpinned = memory.list({ audience: ANA, pinned: false }).memories[0]?.id ?? '';
  assert.equal(memory.pin(unpinned, { audience: ANA }), 'too_many_pins');
  const ben = { audience: ['ben'] };
  const [note] = await memory.remember([said(300, 'Ben never eats gravel', ben)]);
  assert.ok(note?.outcome === 'remembered');
  assert.equal(memory.pin(note.id, ben), 'done', 'the pins of Ana are not those of Ben');
  const [first] = await memory.search('remark on snow', { ...ben, k: 1 });
  assert.equal(first?.memory.id, note.id, 'the pins of Ana do not hide that of Ben');
  for (const [k, expected] of [
    [-1, 1],
    [Number.NaN, 1],
    [2.5, 2],
    [1_000, 100],
  ] as const)
    assert.equal((await memory.search('remark on gravel', { audience: ANA, k })).length, expected);
  for (const limit of [-1, 0, Number.NaN]) assert.equal(memory.list({ audience: ANA, limit }).memories.length, 1);
  await assert.rejects(memory.remember(Array(1_001).fill(said(1, 'Too many'))), RangeError);
});

test('a list has pages, newest first, and each memory once', async () => {
  const memory = newMemory();
  await memory.remember(
    Array.from({ length: 25 }, (_, turn) => said(turn, `Entry ${turn} of the diary`, { at: NOW - (turn % 5) * DAY })),
  );
  const seen: string[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const page = memory.list({ audience: ANA, limit: 10, ...(after === undefined ? {} : { after }) });
    seen.push(...page.memories.map(({ text }) => text));
    after = page.next;
  }
  assert.equal(new Set(seen).size, 25);
  assert.equal(seen.length, 25);
});
