import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countMessage } from './budget.ts';

const TOKENS: readonly number[] = [0, 999, 1_000, 1_949, 12_345, 999_949, 999_950, 1_800_000, 999_949_999, 999_950_000];

test('a count of tokens is as short as Intl.NumberFormat writes it', () => {
  const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
  for (const tokens of TOKENS) {
    const left = { steps: 36, tokens, moneyMicros: null };
    const message = countMessage({ left, afterTurns: 0, isRaised: false });
    assert.equal(message, `[Left: 36 answers, ${short.format(tokens)} tokens]`);
  }
});
