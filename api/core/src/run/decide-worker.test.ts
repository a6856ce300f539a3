import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAiDollars, WORKER_TOKENS_MIN, WORKER_WIDTH_MAX } from '@hamlet/contract';
import { decideWorker, WORKER_DEPTH_MAX, workerError, type WorkerFacts } from './decide-worker.ts';

const budgets = { steps: 50, tokens: 10_000, money: '1', timeMs: 60_000, idleCalls: 10 };
const FACTS: WorkerFacts = {
  depth: 0,
  active: 0,
  budgets,
  moneyMicros: parseAiDollars('1'),
  taken: { tokens: 2_000, moneyMicros: parseAiDollars('0.5') },
};

const codeOf = (facts: Partial<WorkerFacts>, share = {}): string => {
  const verdict = decideWorker({ ...FACTS, ...facts }, share);
  if (verdict.kind === 'refused') assert.ok(verdict.error.what.length > 0 && verdict.error.fix.length > 0);
  return verdict.kind === 'refused' ? verdict.error.code : verdict.kind;
};

test('each limit refuses with its own code', () => {
  assert.equal(codeOf({ depth: WORKER_DEPTH_MAX }), 'worker_too_deep');
  assert.equal(codeOf({ depth: WORKER_DEPTH_MAX - 1 }), 'begin');
  assert.equal(codeOf({ active: WORKER_WIDTH_MAX }), 'worker_too_many');
  assert.equal(codeOf({ active: WORKER_WIDTH_MAX - 1 }), 'begin');
  assert.equal(codeOf({}, { tokens: 8_001 }), 'worker_no_tokens');
  assert.equal(codeOf({}, { tokens: 8_000 }), 'begin');
  assert.equal(codeOf({ taken: { tokens: 9_001, moneyMicros: 0n } }), 'worker_no_tokens');
  assert.equal(codeOf({}, { moneyMicros: parseAiDollars('0.500001') }), 'worker_no_money');
  assert.equal(codeOf({ taken: { tokens: 0, moneyMicros: parseAiDollars('1') } }), 'worker_no_money');
});

test('a worker gets half of the remaining tokens, and money in proportion', () => {
  assert.deepEqual(decideWorker(FACTS, {}), { kind: 'begin', budgets: { ...budgets, tokens: 4_000, money: '0.25' } });
  const asked = decideWorker(FACTS, { tokens: 2_000, moneyMicros: parseAiDollars('0.1') });
  assert.deepEqual(asked, { kind: 'begin', budgets: { ...budgets, tokens: 2_000, money: '0.1' } });
});

test('the shares of consecutive workers never exceed the budget', () => {
  let taken = { tokens: 0, moneyMicros: 0n };
  for (let begun = 0; begun < 100; begun += 1) {
    const verdict = decideWorker({ ...FACTS, taken }, {});
    if (verdict.kind === 'refused') break;
    assert.ok(verdict.budgets.tokens >= WORKER_TOKENS_MIN);
    const given = parseAiDollars(verdict.budgets.money);
    taken = { tokens: taken.tokens + verdict.budgets.tokens, moneyMicros: taken.moneyMicros + given };
    assert.ok(taken.tokens <= budgets.tokens && taken.moneyMicros <= FACTS.moneyMicros);
  }
  assert.equal(codeOf({ taken }), 'worker_no_tokens');
});

test('money does not limit a worker whose tokens cost nothing', () => {
  const free = { ...budgets, money: '0.000001' };
  const facts = { budgets: free, moneyMicros: 1n, taken: { tokens: 0, moneyMicros: 1n } };
  assert.equal(codeOf(facts, { moneyMicros: 5n }), 'begin');
});

test('each failure of a worker comes with advice', () => {
  assert.match(workerError({ code: 'budget_tokens', message: 'over' }).fix, /smaller part/);
  assert.match(workerError({ code: 'anything', message: 'x' }).fix, /yourself/);
});
