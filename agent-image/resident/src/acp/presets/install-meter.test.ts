import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InstallMeter, withoutMeter } from './install-meter.ts';

test('a meter reports each further tenth once, from lines in any pieces among the words of packages', () => {
  const meter = new InstallMeter(400);
  const taken = [
    'npm warn old\nhamlet-megabytes 3\n',
    'hamlet-mega',
    'bytes 41\n',
    'hamlet-megabytes 79\nhamlet-megabytes 79\n',
    'hamlet-megabytes 81\nhamlet-megabytes 170\nadded',
    ` hamlet-megabytes 399\n${'x'.repeat(1_000)}`,
    '\nhamlet-megabytes 10\n',
    'hamlet-megabytes 99999999999\nhamlet-megabytes 900\n',
  ].map((output) => meter.take(output));
  assert.deepEqual(taken, [null, null, '41 of 400 MB', null, '170 of 400 MB', null, null, '400 of 400 MB']);
  assert.equal(withoutMeter('a\nhamlet-megabytes 3\nb'), 'a\n\nb');
});
