import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { PKT_FLUSH, pktLine } from './pkt-line.ts';
import { MAX_FETCH_BYTES, readFetch } from './read-fetch.ts';

const unclearFetch = (bytes: Buffer, isGzip: boolean): string | null => readFetch(bytes, isGzip).unclear;
function asksForProposals(bytes: Buffer, isGzip: boolean): boolean {
  const read = readFetch(bytes, isGzip);
  assert.equal(read.unclear, null);
  return 'isOfProposals' in read && read.isOfProposals;
}

const A = 'a'.repeat(40);
const B = 'b'.repeat(64);

/** Lines of a request; `0000` and `0001` are the marks of the protocol. */
const body = (...lines: readonly string[]): Buffer =>
  Buffer.concat(lines.map((line) => (/^000[01]$/.test(line) ? Buffer.from(line) : pktLine(line))));

const FETCHES: readonly Buffer[] = [
  body(`want ${A} multi_ack_detailed side-band-64k agent=git/2.39.5.(Apple.Git-154)\n`, '0000', 'done\n'),
  body(`want ${A} ofs-delta \n`, `want ${A}\n`, `shallow ${A}`, 'deepen 1', 'filter blob:none', '0000'),
  body(`want ${B}`, 'deepen-since 1700000000', 'deepen-not refs/heads/old', '0000', `have ${B}\n`, `have ${A}`, '0000'),
  body(
    'command=ls-refs\n',
    'agent=git/2.39.5',
    'object-format=sha1',
    '0001',
    'peel\n',
    'ref-prefix refs/heads/für-#1',
    '0000',
  ),
  body('command=fetch', '0001', 'thin-pack', `want ${A}`, 'want-ref refs/heads/main', `have ${A}`, 'done', '0000'),
  body(
    'command=fetch',
    'session-id=20260101T000000.0Z-H1-P2',
    '0001',
    'deepen-relative',
    'filter combine:tree:1+blob:none',
    '0000',
  ),
  body('agent=git/2.45', 'command=bundle-uri', '0001', '0000'),
  body('command=object-info', '0001', 'size', `oid ${A}`, '0000'),
  PKT_FLUSH,
];

test('requests of all protocols are fetches, compressed or not', () => {
  for (const [at, bytes] of FETCHES.entries()) {
    assert.equal(unclearFetch(bytes, false), null, String(at));
    assert.equal(unclearFetch(gzipSync(bytes), true), null, String(at));
  }
});

test('a fetch asks for proposals if it names their references, or all references', () => {
  const asked = (name: string): Buffer =>
    body('command=ls-refs', '0001', 'ref-prefix HEAD\n', `ref-prefix ${name}\n`, '0000');
  for (const name of ['refs/pull/7/head', 'refs/pull/', 'refs/', 'refs/merge-requests/7/head', 'refs/changes/07/7/1']) {
    assert.ok(asksForProposals(asked(name), false) && asksForProposals(gzipSync(asked(name)), true), name);
    assert.ok(asksForProposals(body('command=fetch', '0001', `want-ref ${name}`, 'done', '0000'), false), name);
  }
  for (const name of ['refs/heads/', 'refs/tags/', 'refs/main', 'main', 'refs/heads/pull/7'])
    assert.ok(!asksForProposals(asked(name), false), name);
  for (const bytes of FETCHES) assert.ok(!asksForProposals(bytes, false));
});

test('a fetch with something before, within or after it is unclear', () => {
  for (const bytes of FETCHES)
    for (const more of ['{"delete":"everything"}', '&a=b', '0', '000bpeel', '0001', '\n', '\0']) {
      for (const changed of [Buffer.concat([bytes, Buffer.from(more)]), Buffer.concat([Buffer.from(more), bytes])])
        assert.notEqual(unclearFetch(changed, false), null, changed.toString());
      assert.notEqual(unclearFetch(Buffer.concat([gzipSync(bytes), Buffer.from(more)]), true), null, more);
      assert.notEqual(unclearFetch(Buffer.concat([gzipSync(bytes), gzipSync(more)]), true), null, more);
    }
});

test('every incomplete fetch is unclear, unless its parts are fetches themselves', () => {
  const [, , , refs = PKT_FLUSH, fetch = PKT_FLUSH] = FETCHES;
  for (const bytes of [refs, fetch])
    for (let end = 0; end < bytes.length; end += 1)
      assert.notEqual(unclearFetch(bytes.subarray(0, end), false), null, String(end));
});

test('lines that git does not write are unclear, and the reason shows the line', () => {
  const strange = [
    body('command=delete', '0001', '0000'),
    body('command=fetch', 'command=fetch', '0001', '0000'),
    body('command=fetch', 'server-option=delete=everything', '0001', '0000'),
    body('command=fetch', 'agent=git/2 {"a":1}', '0001', '0000'),
    body('command=fetch', '0001', 'ref-prefix refs/', '0000'),
    body('command=ls-refs', '0001', 'ref-prefix refs/&action=delete', '0000'),
    body('command=ls-refs', '0001', 'ref-prefix a\nb', '0000'),
    body('command=ls-refs', '0001', 'peel', '0001', 'peel', '0000'),
    body('command=ls-refs', '0000'),
    body('command=ls-refs', '0001', `want ${A}`, '0000'),
    body('command=toString', '0001', '0000'),
    body(`have ${A}`, '0000'),
    body(`want ${A}`, `want ${A} ofs-delta`, '0000'),
    body(`want ${A} agent={"a":"b"}`, '0000', 'done'),
    body(`want ${A}`, 'command=fetch', '0001', '0000'),
    body(`want ${A}`, '0000', 'done', '0000'),
    body(`want ${'a'.repeat(41)}`, '0000', 'done'),
    body('done'),
    Buffer.alloc(0),
    Buffer.from('title=Main_Page&action=delete'),
    Buffer.from('0004'),
  ];
  for (const [at, bytes] of strange.entries())
    assert.notEqual(unclearFetch(bytes, false), null, `${String(at)} ${bytes.toString()}`);
  assert.match(String(unclearFetch(body('command=delete', '0001', '0000'), false)), /the line "command=delete"/);
});

test('a gzip stream with a name, a wrong checksum or too much content is unclear', () => {
  const packed = gzipSync(FETCHES[0] ?? '');
  const named = Buffer.concat([
    packed.subarray(0, 3),
    Buffer.from([8]),
    packed.subarray(4, 10),
    Buffer.from('delete\0'),
    packed.subarray(10),
  ]);
  const wrong = Buffer.from(packed);
  wrong.writeUInt32LE(0, wrong.length - 8);
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
  const long = gzipSync(Buffer.alloc(MAX_FETCH_BYTES + 1, pktLine(`have ${A}\n`)));
  for (const bytes of [named, wrong, bomb, long, packed.subarray(0, -1), Buffer.from('not gzip'), Buffer.alloc(0)])
    assert.match(String(unclearFetch(bytes, true)), /gzip/);
});
