import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distributionCheck, right, wrong } from './machine.ts';

const FIX = 'use Debian 12 or newer, or Ubuntu 24.04 or newer';

const release = (id: string, version: string, name: string): string =>
  `PRETTY_NAME="${name}"\nNAME="x"\nVERSION_ID="${version}"\nVERSION="x"\nID=${id}\nID_LIKE=debian\n`;

test('the oldest supported release of a distribution passes, and the previous one fails with a fix', () => {
  const check = (id: string, version: string): unknown => distributionCheck(release(id, version, `${id} ${version}`));
  for (const [id, least, before] of [
    ['debian', '12', '11'],
    ['ubuntu', '24.04', '23.10'],
  ] as const) {
    assert.deepEqual(check(id, least), right(`${id} ${least}`));
    assert.deepEqual(check(id, before), wrong(`${id} ${before}`, FIX));
  }
  assert.deepEqual(check('debian', '13'), right('debian 13'));
  assert.deepEqual(check('ubuntu', '22.04'), wrong('ubuntu 22.04', FIX));
});

test('an unknown distribution, Debian without a version and an empty text pass', () => {
  assert.deepEqual(distributionCheck(release('linuxmint', '11', 'Linux Mint 11')), right('Linux Mint 11'));
  assert.deepEqual(
    distributionCheck('PRETTY_NAME="Debian GNU/Linux forky/sid"\nID=debian\n'),
    right('Debian GNU/Linux forky/sid'),
  );
  assert.deepEqual(distributionCheck(''), right('unknown'));
});
