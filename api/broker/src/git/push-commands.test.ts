import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PKT_FLUSH, pktLine } from './pkt-line.ts';
import { describeCommand, MAX_COMMAND_BYTES, PushHeadReader, type PushHead } from './push-commands.ts';
import { refusedPush } from './push-report.ts';

const OLD = 'a'.repeat(40);
const NEW = 'b'.repeat(40);
const NONE = '0'.repeat(40);
const REF = 'refs/heads/hamlet/ada/fix';

const command = (ref = REF, from = OLD, to = NEW): string => `${from} ${to} ${ref}`;
const push = (...lines: string[]): Buffer => Buffer.concat([...lines.map((line) => pktLine(line)), PKT_FLUSH]);
const readPushHead = (bytes: Buffer): PushHead => new PushHeadReader().add(bytes);
/** Reads a body that ends after these bytes. */
function readWhole(bytes: Buffer): PushHead {
  const reader = new PushHeadReader();
  const head = reader.add(bytes);
  return head.kind === 'more' ? reader.end() : head;
}
const whole = push(`${command()}\0report-status side-band-64k agent=git/2.39`, `${command(`${REF}2`, NONE)}\n`);

test('the reader returns the commands and capabilities of a push, and leaves the pack unread', () => {
  const head = readPushHead(Buffer.concat([whole, Buffer.from('PACK…')]));
  assert.deepEqual(head, {
    kind: 'push',
    commands: [
      { from: OLD, to: NEW, ref: REF },
      { from: NONE, to: NEW, ref: `${REF}2` },
    ],
    capabilities: ['report-status', 'side-band-64k', 'agent=git/2.39'],
    options: [],
  });
  assert.deepEqual(readWhole(PKT_FLUSH), { kind: 'push', commands: [], capabilities: [], options: [] });
  const shallow = readWhole(push(`shallow ${OLD}`, `${command()}\0report-status`));
  assert.equal(shallow.kind === 'push' && shallow.capabilities[0], 'report-status');
});

test('the reader asks for more bytes for every incomplete push', () => {
  for (let end = 0; end < whole.length; end += 1)
    assert.equal(readPushHead(whole.subarray(0, end)).kind, 'more', String(end));
});

test('a push that arrives byte by byte is parsed', () => {
  const reader = new PushHeadReader();
  const bytes = Buffer.concat([whole, Buffer.from('PACK')]);
  const heads = Array.from(bytes, (byte) => reader.add(Buffer.from([byte])).kind);
  assert.deepEqual([...new Set(heads.slice(0, -1)), heads.at(-1)], ['more', 'push']);
});

test('push options are read after the commands if the client announces them', () => {
  const commands = push(`${command()}\0report-status push-options`);
  assert.equal(readPushHead(commands).kind, 'more');
  const head = readPushHead(Buffer.concat([commands, push('ci.skip', 'merge_request.create'), Buffer.from('PACK')]));
  assert.deepEqual(head.kind === 'push' && head.options, ['ci.skip', 'merge_request.create']);
  const many = push(...Array.from({ length: 21 }, (_, at) => `o${at}`));
  assert.equal(readPushHead(Buffer.concat([commands, many])).kind, 'unclear');
});

test('a push that other readers could interpret differently is unclear', () => {
  const certificate = push('push-cert\0report-status');
  const names = [
    'refs/heads/hamlet/ada/../../main',
    'refs/heads/hamlet/ada/x.lock',
    'refs/heads//main',
    'refs/heads/.x',
    'main',
    'refs/heads/a b',
    'refs/heads/x\u0001',
    'refs/heads/a@{1}',
    'refs/heads/hamlet/ada/',
  ];
  const cases = [
    certificate,
    ...names.map((name) => push(command(name))),
    push(`${command()} ${command()}`),
    push(command(REF, 'a'.repeat(39))),
    Buffer.from('0001'),
    Buffer.from('0004'),
    Buffer.from('fff5'),
    Buffer.from('GET /'),
    push(...Array.from({ length: 101 }, () => command())),
    push(command(), `${command()}\0push-options`),
    push(`${command()}\0report-status\tpush-options`),
    push(`${command()}\0push-options=1`),
    push(`${command()}\0report-status\0push-options`),
    Buffer.concat([push(`${command()}\0report-status`), push('ci.skip'), Buffer.from('PACK')]),
    Buffer.concat([push(`${command()}\0report-status`), Buffer.from('junk')]),
  ];
  for (const [at, bytes] of cases.entries()) assert.equal(readWhole(bytes).kind, 'unclear', String(at));
  const endless = Buffer.concat(Array.from({ length: 1000 }, () => pktLine(`shallow ${OLD}`)));
  assert.equal(readPushHead(Buffer.concat([endless, endless]).subarray(0, MAX_COMMAND_BYTES + 100)).kind, 'unclear');
});

test('each change is described in words for a person', () => {
  assert.equal(describeCommand({ from: NONE, to: NEW, ref: REF }), `new ${REF} at bbbbbbb`);
  assert.equal(describeCommand({ from: OLD, to: NONE, ref: REF }), `delete ${REF} (was aaaaaaa)`);
  assert.equal(describeCommand({ from: OLD, to: NEW, ref: REF }), `${REF} from aaaaaaa to bbbbbbb`);
});

test('the report of a refusal has a line for each reference, in a side band if the client supports it', () => {
  const denial = { verdict: 'deny', code: 'egress_push_ref', message: 'not this\none' } as const;
  const commands = [{ from: OLD, to: NEW, ref: REF }];
  const plain = refusedPush(commands, ['report-status'], denial).toString();
  assert.equal(plain, `000eunpack ok\n${pktLine(`ng ${REF} egress_push_ref: not this one\n`).toString()}0000`);
  const banded = refusedPush(commands, ['side-band-64k'], denial);
  assert.equal(banded[4], 1);
  assert.ok(banded.includes(plain));
});

test('commands that fill the whole limit, without a pack after them, are too long', () => {
  const [line = ''] = [`${command()}\0agent=`];
  const shallow = pktLine(`shallow ${OLD}`);
  const room = MAX_COMMAND_BYTES - 2 - PKT_FLUSH.length - shallow.length - pktLine(line).length;
  const head = Buffer.concat([pktLine(`${line}${'A'.repeat(room)}`), shallow, PKT_FLUSH]);
  assert.equal(head.length, MAX_COMMAND_BYTES - 2);
  const reader = new PushHeadReader();
  assert.equal(reader.add(head).kind, 'more');
  assert.equal(reader.add(Buffer.from('PACK')).kind, 'unclear');
});
