import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TICKS_PER_DAY } from '@hamlet/contract';
import { timeOfDay } from './time-of-day.ts';

test('the world begins at 06:00; a minute takes 10 ticks and a day 14,400', () => {
  assert.deepEqual(timeOfDay(0), { day: 0, minute: 360, phase: 'morning' });
  assert.deepEqual(timeOfDay(9), { day: 0, minute: 360, phase: 'morning' });
  assert.deepEqual(timeOfDay(1800), { day: 0, minute: 540, phase: 'day' });
  assert.deepEqual(timeOfDay(7200), { day: 0, minute: 1080, phase: 'evening' });
  assert.deepEqual(timeOfDay(9600), { day: 0, minute: 1320, phase: 'night' });
  assert.deepEqual(timeOfDay(10_799), { day: 0, minute: 1439, phase: 'night' });
  assert.deepEqual(timeOfDay(10_800), { day: 1, minute: 0, phase: 'night' });
  assert.deepEqual(timeOfDay(TICKS_PER_DAY), { day: 1, minute: 360, phase: 'morning' });
});
