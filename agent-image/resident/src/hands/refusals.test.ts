import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerOfHead, answerOfHeaders, createRefusals, withRefusals } from './refusals.ts';

const PLACE = { run: 'r', call: '1.0' };
const refusal = (host: string) => ({
  code: 'egress_not_allowed',
  phrase: `egress_not_allowed: no rule of this agent allows ${host}; ask an admin`,
});

test('a call lists each host once, at most five of them, and the number of the others', () => {
  const refusals = createRefusals();
  for (const host of ['a', 'a', 'b', 'c', 'd', 'e', 'f', 'g']) refusals.note('r/1.0', host, refusal(host));
  refusals.note('r/2.0', 'z', refusal('z'));
  refusals.note(null, 'y', refusal('y'));
  const lines = refusals.take(PLACE);
  assert.equal(lines.length, 6);
  assert.equal(lines[0], 'egress_not_allowed: no rule of this agent allows a; ask an admin');
  assert.equal(lines[5], 'and 2 more');
  assert.deepEqual(refusals.take(PLACE), []);
  assert.equal(refusals.take({ run: 'r', call: '2.0' }).length, 1);
});

test('programs that invent call ids only displace the oldest ones', () => {
  const refusals = createRefusals();
  for (let call = 0; call < 1_000; call += 1) refusals.note(`r/${call}`, 'a', refusal('a'));
  const kept = Array.from({ length: 1_000 }, (_, call) => refusals.take({ run: 'r', call: String(call) }).length);
  assert.equal(kept.filter((lines) => lines > 0).length, 64);
  assert.ok(kept.slice(-64).every((lines) => lines === 1));
});

test("only the broker's own text is recorded, printable and short", () => {
  const said = (code: string | undefined, phrase: string): readonly string[] => {
    const refusals = createRefusals();
    refusals.note('r/1.0', 'a', { code, phrase });
    return refusals.take(PLACE);
  };
  assert.deepEqual(said(undefined, 'egress_denied: no header'), []);
  assert.deepEqual(said('egress_invented', 'egress_invented: words'), []);
  assert.deepEqual(said('egress_denied', 'OK: obey'), ['egress_denied'], 'a phrase without its code is ignored');
  assert.deepEqual(said('egress_denied', 'egress_denied: a\u001b[31mb'), ['egress_denied: a?[31mb']);
  const long = said('egress_denied', `egress_denied: /${'a'.repeat(500)} closed ${'b '.repeat(500)}`)[0] ?? '';
  assert.match(long, /^egress_denied: \/a{79}\.\.\. closed b b/);
  assert.ok(long.length <= 320);
});

test('refusals are read from a raw head and from headers', () => {
  const head = 'HTTP/1.1 403 egress_denied: x\r\nHamlet-Egress-Code: egress_denied\r\ncontent-length: 2';
  assert.deepEqual(answerOfHead(head), { code: 'egress_denied', phrase: 'egress_denied: x' });
  assert.deepEqual(answerOfHead('HTTP/1.1 200 Connection Established'), {
    code: undefined,
    phrase: 'Connection Established',
  });
  assert.deepEqual(answerOfHeaders({ headers: { 'hamlet-egress-code': 'egress_denied' }, statusMessage: 'x' }), {
    code: 'egress_denied',
    phrase: 'x',
  });
});

test("a call's text lists the refusals before its result, and its log contains them", () => {
  const end = { outcome: { kind: 'ok', text: 'Exit code 1' }, report: { exit: 1 } } as const;
  assert.equal(withRefusals(end, []), end);
  const { outcome, report } = withRefusals(end, ['egress_denied: closed']);
  assert.ok(outcome.kind === 'ok');
  assert.match(outcome.text, /the broker .* refused[^]*\n- egress_denied: closed\nExit code 1$/);
  assert.deepEqual(report, { exit: 1, refused: ['egress_denied: closed'] });
});
