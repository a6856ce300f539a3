import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SignInThrottle } from './sign-in-throttle.ts';

const WINDOW_MS = 300_000;

function throttle(): { readonly throttle: SignInThrottle; readonly pass: (ms: number) => void } {
  let nowMs = 0;
  return {
    throttle: new SignInThrottle(() => nowMs),
    pass: (ms) => {
      nowMs += ms;
    },
  };
}

test('one address may fail ten times for a name and fifty times in total, and again after the window', () => {
  const { throttle: each, pass } = throttle();
  for (let name = 0; name < 5; name += 1)
    for (let tries = 0; tries < 10; tries += 1) assert.ok(each.begin(`name ${name}`, '198.51.100.1').ok);
  assert.ok(!each.begin('name 0', '198.51.100.1').ok);
  assert.ok(!each.begin('name 9', '198.51.100.1').ok, 'the address has failed fifty times');
  assert.ok(each.begin('name 0', '198.51.100.2').ok);
  pass(WINDOW_MS + 1);
  assert.ok(each.begin('name 0', '198.51.100.1').ok);
});

test('a successful attempt does not count, and can be taken back only once', () => {
  const { throttle: each } = throttle();
  for (let tries = 0; tries < 100; tries += 1) {
    const attempt = each.begin('ada', '198.51.100.1');
    assert.ok(attempt.ok);
    attempt.takeBack();
    attempt.takeBack();
  }
  for (let tries = 0; tries < 10; tries += 1) assert.ok(each.begin('ada', '198.51.100.1').ok);
  assert.ok(!each.begin('ada', '198.51.100.1').ok);
});

test('the addresses of one IPv6 network count together', () => {
  const { throttle: each } = throttle();
  for (let tries = 0; tries < 10; tries += 1) assert.ok(each.begin('ada', `2001:db8:0:7::${tries}`).ok);
  assert.ok(!each.begin('ada', '2001:db8:0:7::ffff').ok);
});

test('a name with over a hundred guesses from all addresses is locked for new addresses; other names are not', () => {
  const { throttle: each } = throttle();
  for (let tries = 0; tries < 100; tries += 1) {
    const attempt = each.begin('Ada', `198.51.${tries}.1`);
    assert.ok(attempt.ok && !attempt.nameIsUnderAttack);
  }
  const next = each.begin('ada', '203.0.113.1');
  assert.ok(next.ok && next.nameIsUnderAttack);
  const other = each.begin('bob', '203.0.113.1');
  assert.ok(other.ok && !other.nameIsUnderAttack);
});
