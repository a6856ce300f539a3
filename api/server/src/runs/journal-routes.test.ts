/** The copy of an agent's journal over HTTP: stored once, shown to people, restored, but never trusted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readJournal, storeRunJournal, type JournalClaim, type JournalEntry } from '@hamlet/contract';
import type { CallData, CallInput, Outcome, RunEvent } from '@hamlet/contract';
import { forgetTexts, inTransaction, JOURNAL_MAX_BYTES } from '@hamlet/store';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { RunPlay } from '../testing/play/run-play.ts';
import { type AgentId, startPlay } from '../testing/test-village.ts';

const { village, play } = await startPlay();
const runs = new RunPlay(play.url);
const db = village.openDb();

/**
 * A run that an agent works on. Each test uses another agent, because journal limits count over all runs of one agent.
 */
class Mirrored {
  readonly agentId: AgentId;
  readonly runId: string;
  readonly cycle: number;
  constructor(agentId: AgentId, runId: string, cycle: number) {
    this.agentId = agentId;
    this.runId = runId;
    this.cycle = cycle;
  }

  static async of(agentId: AgentId): Promise<Mirrored> {
    const { run_id: runId } = await runs.give(agentId);
    const cycle = await runs.cycle(agentId);
    await runs.play.as(agentId).startRun({ run_id: runId, cycle, runtime: 'engine' });
    return new Mirrored(agentId, runId, cycle);
  }

  entry(seq: number, fields: Partial<JournalClaim> & { readonly type: string }): JournalEntry {
    return { seq, event: { v: 1, run: this.runId, stage: 'main', fence: 1, at: 5, elapsedMs: 1, ...fields } };
  }

  store(
    entries: readonly JournalEntry[],
    more: Partial<CallInput<typeof storeRunJournal>['body']> = {},
  ): Promise<Outcome<CallData<typeof storeRunJournal>>> {
    const body = { cycle: this.cycle, attempt: 1, entries: [...entries], payloads: [], ...more };
    return runs.play.as(this.agentId).raw.storeRunJournal({ run_id: this.runId, ...body });
  }

  async read(query: CallInput<typeof readJournal>['query'] = {}): Promise<CallData<typeof readJournal>> {
    return await runs.play.as(this.agentId).readJournal({ agent_id: this.agentId, ...query });
  }

  async end(): Promise<void> {
    dataOf(await runs.settle(this.agentId, this.runId, { state: 'failed', summary: 'No.' }));
  }
}

const ref = (name: string): string => name.padEnd(22, '_');
const usage = { prompt: 100, completion: 20, total: 120 };
const call = { id: '0.0', modelId: 'x', tool: 'say', arguments: ref('arguments'), effect: 'keyed' };

/** The entries of one answer with one call. */
function aConversation(run: Mirrored, from = 1): readonly JournalEntry[] {
  const said = { type: 'model_answered', ask: 0, attempt: 0, message: ref('message'), hasText: true, calls: [call] };
  return [
    { type: 'run_opened', model: 'tiny', prompt: ref('prompt') },
    { type: 'model_asked', ask: 0, attempt: 0, request: ref('request') },
    { ...said, usage, moneyMicros: 250_000 },
    { type: 'tool_intent', call: '0.0', tool: 'say', arguments: ref('arguments'), effect: 'keyed', attempt: 1 },
    { type: 'tool_settled', call: '0.0', outcome: 'ok', result: ref('result') },
  ].map((fields, index) => run.entry(from + index, fields));
}

/** A provider may seal a thought without showing its words. */
const THOUGHTS = [
  { text: 'Bob is new here.', sealed: 'c2VhbA' },
  { text: '', sealed: 'c2VhbA' },
];

const TEXTS = [
  { ref: ref('message'), text: JSON.stringify({ content: 'I say hello.', toolCalls: [], reasoning: THOUGHTS }) },
  { ref: ref('arguments'), text: '{"text":"Hello"}' },
  { ref: ref('result'), text: 'nul \u0000 and half \ud800' },
  { ref: 'salt_of_this_journal__', text: 'salt' },
];

const sorted = (detail: unknown): unknown => Object.entries(Object(detail)).toSorted();

const claimed = (events: readonly RunEvent[]): readonly RunEvent[] => events.filter(({ witnessed }) => !witnessed);

test('entries are stored once and shown to people as claims, with their texts until those are deleted', async () => {
  const run = await Mirrored.of('ada');
  const entries = aConversation(run);
  assert.equal(dataOf(await run.store(entries.slice(0, 3), { payloads: TEXTS })).stored_through, 3);
  for (let time = 0; time < 2; time += 1)
    assert.equal(dataOf(await run.store(entries, { payloads: TEXTS })).stored_through, 5);
  assert.equal(dataOf(await run.store([])).stored_through, 5);
  const named = { call_id: '0.0', tool: 'say', effect: 'keyed', arguments_text: '{"text":"Hello"}' };
  const model = { ask: 0, attempt: 0, model: 'tiny', usage: null, cost: null, code: null, text: null };
  const shown = claimed(await runs.events(run.runId));
  assert.deepEqual(pluck(shown, 'number', 'event', 'detail'), [
    [3, 'model_asked', model],
    [4, 'model_answered', { ...model, usage, cost: '0.25', text: 'I say hello.', thoughts: 'Bob is new here.' }],
    [5, 'call_begun', { ...named, outcome: null, result_text: null }],
    [6, 'call_settled', { ...named, outcome: 'ok', result_text: 'nul \uFFFD and half \uFFFD' }],
  ]);
  assert.deepEqual((await runs.get(run.runId)).usage, { steps: 1, tokens: 120, cost: '0.25', witnessed: false });
  const { uid } = await runs.play.agent('ada');
  await inTransaction(db, (tx) => forgetTexts(tx, uid, [ref('arguments'), ref('message')]));
  assert.equal(dataOf(await run.store(entries, { payloads: TEXTS })).stored_through, 5);
  const [, answered, begun] = claimed(await runs.events(run.runId));
  assert.deepEqual(answered?.detail, { ...model, usage, cost: '0.25' }, 'the text stays deleted');
  assert.deepEqual(begun?.detail, { ...named, arguments_text: null, outcome: null, result_text: null });
  assert.deepEqual(
    (await run.read()).payloads.map((payload) => payload.ref).toSorted(),
    [ref('result'), 'salt_of_this_journal__'].toSorted(),
  );
  await run.end();
});

test('entries that contradict the stored journal are refused and change nothing', async () => {
  const run = await Mirrored.of('bob');
  const entries = aConversation(run, 10);
  dataOf(await run.store(entries));
  const wrong: readonly (readonly [string, readonly JournalEntry[]])[] = [
    ['another event at a place', [run.entry(12, { type: 'interrupted' })]],
    ['a place before the last one', [run.entry(9, { type: 'interrupted' })]],
    ['the same place twice', [run.entry(20, { type: 'interrupted' }), run.entry(20, { type: 'interrupted' })]],
    ['another run', [run.entry(20, { type: 'interrupted', run: '00000000-0000-4000-8000-000000000000' })]],
    ['an older fence', [run.entry(20, { type: 'interrupted', fence: 2 }), run.entry(21, { type: 'interrupted' })]],
    ['after the end', [run.entry(20, { type: 'run_closed' }), run.entry(21, { type: 'interrupted' })]],
  ];
  for (const [name, sent] of wrong) await refuses(run.store(sent), 'journal_diverged', name);
  assert.equal((await run.read()).entries.length, entries.length);
  await run.end();
});

test('only the present lease of a run can store its journal', async () => {
  const run = await Mirrored.of('cleo');
  const entries = aConversation(run);
  const asOther = runs.play.as('dan');
  const body = { cycle: run.cycle, attempt: 1, entries: [...entries], payloads: [] };
  await refuses(asOther.storeRunJournal({ run_id: run.runId, ...body }), 'not_own_agent');
  await refuses(run.store(entries, { attempt: 2 }), 'claim_lapsed');
  await refuses(run.store(entries, { cycle: run.cycle + 1 }), 'stale_cycle');
  const unknown = { run_id: '00000000-0000-4000-8000-000000000000' };
  await refuses(runs.play.as('cleo').storeRunJournal({ ...unknown, ...body }), 'no_such_run');
  await refuses(asOther.readJournal({ agent_id: 'cleo' }), 'not_own_agent');
  await run.end();
  await refuses(run.store(entries), 'run_settled');
  assert.deepEqual((await run.read()).entries, []);
});

test('entries of unknown kinds are stored but not shown; text that is unstorable or too long is refused', async () => {
  const run = await Mirrored.of('dan');
  const newer = [
    run.entry(1, { type: 'dreamt', v: 2, of: { sheep: [1, 2] } }),
    run.entry(2, { type: 'tool_intent', call: 'with spaces', tool: 'say', arguments: 'no reference', effect: 'keyed' }),
  ];
  assert.equal(dataOf(await run.store(newer)).stored_through, 2);
  assert.deepEqual(claimed(await runs.events(run.runId)), []);
  assert.deepEqual(pluck((await run.read()).entries, 'event'), pluck(newer, 'event'));
  const repaired = await run.store([run.entry(3, { type: 'dreamt', text: 'half \ud83e of \\ud83e' })]);
  assert.equal(dataOf(repaired).stored_through, 3);
  assert.equal((await run.read()).entries.at(-1)?.event['text'], 'half \ufffd of \\ud83e');
  for (const text of ['nul \u0000', 'x'.repeat(70_000)])
    await refuses(run.store([run.entry(4, { type: 'dreamt', text })]), 'validation_failed');
  const large = Array.from({ length: 5 }, (_, index) => ({ ref: ref(`large${index}`), text: 'x'.repeat(250_000) }));
  await refuses(run.store([], { payloads: large }), 'body_too_large');
  await run.end();
});

test('a journal is read back in pages, and is deleted with its runs', async () => {
  const run = await Mirrored.of('eve');
  for (let seq = 1; seq <= 12; seq += 1) {
    const text = 'x'.repeat(200_000) + seq;
    const payloads = ['a', 'b', 'c', 'd'].map((part) => ({ ref: ref(`${part}${seq}`), text }));
    const parts = payloads.map((payload) => payload.ref);
    dataOf(await run.store([run.entry(seq, { type: 'run_opened', model: 'tiny', parts })], { payloads }));
  }
  const places: number[] = [];
  const texts = new Set<string>();
  let pages = 0;
  for (let after: number | null = 0; after !== null; pages += 1) {
    const page = await run.read({ after });
    places.push(...page.entries.map(({ seq }) => seq));
    for (const { ref: name } of page.payloads) texts.add(name);
    after = page.next;
  }
  assert.deepEqual(places, [...Array(13).keys()].slice(1));
  assert.deepEqual([texts.size, pages], [48, 3], 'pages of 4 MiB');
  const size = async (): Promise<number> => {
    const { uid } = await runs.play.agent('eve');
    const row = db.selectFrom('journal_size').select('bytes').where('agent_uid', '=', uid);
    return (await row.executeTakeFirstOrThrow()).bytes;
  };
  assert.ok((await size()) > 9_600_000);
  await run.end();
  await db.deleteFrom('run').where('run_id', '=', run.runId).execute();
  assert.equal(await size(), 0);
  assert.deepEqual((await run.read()).entries, []);
});

test('a full journal drops entries of ended runs, and refuses only if there are none', async () => {
  const ended = await Mirrored.of('fay');
  dataOf(await ended.store(aConversation(ended), { payloads: TEXTS }));
  await ended.end();
  const run = await Mirrored.of('fay');
  const { uid } = await runs.play.agent('fay');
  const fill = (bytes: number): Promise<unknown> =>
    db.updateTable('journal_size').set({ bytes }).where('agent_uid', '=', uid).execute();
  await fill(JOURNAL_MAX_BYTES - 100);
  dataOf(await run.store([run.entry(20, { type: 'interrupted' })]));
  assert.deepEqual(pluck((await run.read()).entries, 'seq'), [20]);
  await fill(JOURNAL_MAX_BYTES);
  await refuses(run.store([run.entry(21, { type: 'interrupted' })]), 'journal_full');
  await run.end();
});

test('texts belong to the newest run that refers to them, so a conversation outlives its first run', async () => {
  const first = await Mirrored.of('ada');
  dataOf(
    await first.store([first.entry(50, { type: 'run_opened', model: 'tiny', prompt: ref('kept') })], {
      payloads: [
        { ref: ref('kept'), text: 'kept' },
        { ref: 'salt_of_this_journal__', text: 'salt' },
      ],
    }),
  );
  await first.end();
  const second = await Mirrored.of('ada');
  dataOf(await second.store([second.entry(51, { type: 'run_opened', model: 'tiny', prompt: ref('kept') })]));
  await db.deleteFrom('run').where('run_id', '=', first.runId).execute();
  const { entries, payloads } = await second.read({ after: 49 });
  assert.deepEqual(
    [entries.map(({ seq }) => seq), payloads.map(({ text }) => text).toSorted()],
    [[51], ['kept', 'salt']],
  );
  await second.end();
});

const part = (source: string, tokens: number, fields: object = {}): object => ({
  source,
  form: 'whole',
  tokens,
  text: ref(source),
  run: null,
  ...fields,
});

test('people read what each request to the model contained, part by part, and members without the run only its sizes', async () => {
  const run = await Mirrored.of('dan');
  const earlier = '0198c1f0-0000-7000-8000-000000000001';
  const parts = [
    part('instructions', 10),
    part('tools', 900, { text: null }),
    part('history', 40, { text: null, run: earlier, form: 'shortened' }),
    part('message', 2),
  ];
  const answer = (ask: number) => ({
    type: 'model_answered',
    ask,
    attempt: 1,
    message: ref(`answer${ask}`),
    hasText: true,
    calls: [{ ...call, id: `${ask}.0` }],
    usage,
    moneyMicros: 1,
  });
  const entries = [
    { type: 'run_opened', model: 'tiny' },
    { type: 'context_built', parts },
    { type: 'model_asked', ask: 1, attempt: 1, request: ref('request') },
    answer(1),
    { type: 'tool_settled', call: '1.0', outcome: 'ok', result: ref('found') },
    { type: 'model_asked', ask: 2, attempt: 1, request: ref('request') },
    answer(2),
    { type: 'turns_compacted', summary: ref('summary'), turns: 1 },
    { type: 'context_built', parts: [part('summary', 5)] },
    { type: 'model_asked', ask: 3, attempt: 1, request: ref('request') },
  ].map((fields, index) => run.entry(index + 10_000, fields));
  const texts = { instructions: 'i'.repeat(40), message: 'Why rye?', found: '{"kind":"ok","text":"Rye is cheap."}' };
  const payloads = [
    ...Object.entries(texts).map(([name, text]) => ({ ref: ref(name), text })),
    ...[1, 2].map((ask) => ({
      ref: ref(`answer${ask}`),
      text: JSON.stringify({ content: `Answer ${ask}.`, toolCalls: [{ id: 'x', name: 'say', arguments: '{}' }] }),
    })),
  ];
  dataOf(await run.store(entries, { payloads }));
  const read = async (ask: number) => (await play.admin.readRunContext({ run_id: run.runId, ask })).context;
  assert.equal(await read(9), null);
  const second = await read(2);
  assert.equal(second?.prompt_tokens, 100);
  assert.deepEqual(pluck(second?.parts ?? [], 'source', 'form', 'tokens', 'tool', 'run_id', 'text'), [
    ['instructions', 'whole', 10, null, null, texts.instructions],
    ['tools', 'whole', 900, null, null, null],
    ['history', 'shortened', 40, null, earlier, null],
    ['message', 'whole', 2, null, null, 'Why rye?'],
    ['answer', 'whole', 20, null, null, 'Answer 1.\n[calls say]'],
    ['result', 'whole', 10, 'say', null, 'Rye is cheap.'],
  ]);
  const third = await read(3);
  assert.deepEqual(pluck(third?.parts ?? [], 'source', 'text'), [
    ['summary', null],
    ['answer', 'Answer 2.\n[calls say]'],
  ]);
  const veiled = (await play.member.readRunContext({ run_id: run.runId, ask: 2 })).context;
  assert.deepEqual(pluck(veiled?.parts ?? [], 'tokens'), pluck(second?.parts ?? [], 'tokens'));
  assert.ok(veiled?.parts.every(({ text }) => text === null));
});

test('calls that end only in the pod are in the audit, once and without their texts; reads are not', async () => {
  const run = await Mirrored.of('cleo');
  const calls = ['remember', 'program.edit', 'search_memories'].map((tool, at) => ({ ...call, id: `0.${at}`, tool }));
  const said = { type: 'model_answered', ask: 0, attempt: 0, message: ref('message'), hasText: true, calls };
  const entries = [
    { ...said, usage, moneyMicros: 0 },
    ...calls.map(({ id }) => ({ type: 'tool_settled', call: id, outcome: 'ok', result: ref('result') })),
  ].map((fields, at) => run.entry(1 + at, fields));
  for (let time = 0; time < 2; time += 1) dataOf(await run.store(entries, { payloads: TEXTS }));
  const { records } = await runs.play.admin.listAudit({ action: 'run.call', object: 'cleo' });
  const of = { run_id: run.runId, outcome: 'ok', claimed: true };
  assert.deepEqual(
    new Set(records.map(({ object, actor_id: actor, detail }) => JSON.stringify([object, actor, sorted(detail)]))),
    new Set(
      [
        { ...of, tool: 'remember', call_id: '0.0' },
        { ...of, tool: 'program.edit', call_id: '0.1' },
      ].map((detail) => JSON.stringify(['cleo', 'agent cleo', sorted(detail)])),
    ),
  );
  assert.equal(records.length, 2);
  await run.end();
});

test('a run of thousands of claims fills the audit no further', async () => {
  const run = await Mirrored.of('cleo');
  const audited = async () => (await runs.play.admin.listAudit({ action: 'run.call', object: 'cleo' })).records.length;
  const settle = (seq: number) =>
    run.store([
      run.entry(seq, {
        type: 'program_noted',
        note: `n.${seq}`,
        tool: 'program.edit',
        outcome: 'ok',
        claim: ref('claim'),
      }),
    ]);
  const before = await audited();
  dataOf(await settle(20_001));
  assert.equal(await audited(), before + 1);
  await db.updateTable('run').set({ events: 2_000 }).where('run_id', '=', run.runId).execute();
  dataOf(await settle(20_002));
  assert.equal(await audited(), before + 1);
  await run.end();
});
