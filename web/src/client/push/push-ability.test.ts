import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserName, pushAbility } from './push-ability.ts';

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';
const MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15';
const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const facts = { userAgent: CHROME, touchPoints: 0, isSecure: true, hasPush: true, permission: 'default' } as const;

const ABILITIES = [
  [{}, 'able'],
  [{ permission: 'granted' }, 'able'],
  [{ permission: 'denied' }, 'blocked'],
  [{ isSecure: false, hasPush: false }, 'insecure'],
  [{ hasPush: false }, 'unable'],
  [{ hasPush: false, userAgent: IPHONE }, 'home_screen'],
  [{ hasPush: false, userAgent: MAC, touchPoints: 5 }, 'home_screen'],
  [{ hasPush: false, userAgent: MAC }, 'unable'],
  [{ userAgent: IPHONE }, 'able'],
] as const;

for (const [changes, ability] of ABILITIES)
  test(`a browser with ${JSON.stringify(changes).slice(0, 60)} is ${ability}`, () => {
    assert.equal(pushAbility({ ...facts, ...changes }), ability);
  });

test('a browser has a name that its person recognizes', () => {
  const nameOf = (userAgent: string, touchPoints = 0) => browserName({ userAgent, touchPoints });
  assert.equal(nameOf(CHROME), 'Chrome on Windows');
  assert.equal(nameOf(`${CHROME} Edg/142.0.0.0`), 'Edge on Windows');
  assert.equal(nameOf('Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0'), 'Firefox on Linux');
  assert.equal(nameOf(IPHONE), 'Safari on iPhone');
  assert.equal(nameOf(MAC), 'Safari on Mac');
  assert.equal(nameOf(MAC, 5), 'Safari on iPad');
  assert.equal(nameOf('x'), 'Browser');
});
