import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diceOf, seedOf } from '../../testing/dice.ts';
import { costTracking } from './cost-tracking.ts';

const CONFIG = {
  prices: {
    'gpt-5-mini': { input: '0.25', output: '2' },
    tiny: { input: '0.000000001', output: '0' },
    dear: { input: '999999999', output: '999999999.999999999' },
    free: { input: '0', output: '0' },
  },
};

const cost = (model: string, prompt: number, completion: number): number | null =>
  costTracking('cost', CONFIG).costOf?.(model, { prompt, completion }) ?? null;

test('the cost is that of the table, in millionths, rounded once', () => {
  assert.equal(cost('gpt-5-mini', 1_000_000, 0), 250_000);
  assert.equal(cost('gpt-5-mini', 1_000, 1_000), 2_250);
  assert.equal(cost('gpt-5-mini', 1, 0), 0);
  assert.equal(cost('gpt-5-mini', 2, 0), 1);
  assert.equal(cost('gpt-5-mini', 3, 1), 3);
  assert.equal(cost('tiny', 499_999_999, 0), 0);
  assert.equal(cost('tiny', 500_000_000, 0), 1);
  assert.equal(cost('free', 1_000_000, 1_000_000), 0);
});

test('the cost of an unknown model is unknown, and so is a cost beyond the safe integers', () => {
  for (const model of ['gpt-5', '', '__proto__', 'constructor', 'GPT-5-mini'])
    assert.equal(cost(model, 1_000, 1_000), null);
  assert.equal(cost('dear', Number.MAX_SAFE_INTEGER, 0), null);
});

test('the cost is exact for every price and number of tokens', () => {
  const seed = seedOf();
  const dice = diceOf(seed);
  for (let number = 0; number < 500; number += 1) {
    const digits = dice.below(10);
    const priced = (): bigint => BigInt(dice.below(1_000_000));
    const text = (value: bigint): string => {
      const padded = String(value).padStart(digits + 1, '0');
      return digits === 0 ? padded : `${padded.slice(0, -digits)}.${padded.slice(-digits)}`;
    };
    const [input, output] = [priced(), priced()];
    const [prompt, completion] = [dice.below(10_000_000), dice.below(100_000)];
    const plugin = costTracking('cost', { prices: { m: { input: text(input), output: text(output) } } });
    const doubled = 2n * (input * BigInt(prompt) + output * BigInt(completion));
    const unit = 10n ** BigInt(digits);
    assert.equal(plugin.costOf?.('m', { prompt, completion }), Number((doubled + unit) / (2n * unit)), `seed ${seed}`);
  }
});

test('a table of another form is refused', () => {
  for (const price of ['1e3', '-1', '.5', '1.', '0.1234567891', 1, '1,5', 'NaN'])
    assert.throws(() => costTracking('cost', { prices: { m: { input: price, output: '1' } } }), {
      code: 'plugin_config',
    });
  for (const config of [null, {}, { prices: [] }, { prices: {}, other: 1 }, { prices: { m: { input: '1' } } }])
    assert.throws(() => costTracking('cost', config), { code: 'plugin_config' });
});
