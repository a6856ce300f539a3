import assert from 'node:assert/strict';
import { test } from 'node:test';
import { netDiff } from './net-diff.ts';

const FILE = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);

/** A file after lines were replaced, and the diff of it with three lines of context. */
function edited(
  lines: readonly string[],
  { at, remove, insert }: { at: number; remove: number; insert: readonly string[] },
): [string[], string] {
  const from = Math.max(0, at - 3);
  const to = Math.min(lines.length, at + remove + 3);
  const same = (part: readonly string[]): readonly string[] => part.map((line) => ` ${line}`);
  const body = [
    ...same(lines.slice(from, at)),
    ...lines.slice(at, at + remove).map((line) => `-${line}`),
    ...insert.map((line) => `+${line}`),
    ...same(lines.slice(at + remove, to)),
  ];
  const [old, now] = [to - from, to - from - remove + insert.length];
  const start = (length: number): number => (length === 0 ? from : from + 1);
  const head = `--- a/x\n+++ b/x\n@@ -${start(old)},${old} +${start(now)},${now} @@\n`;
  return [lines.toSpliced(at, remove, ...insert), `${head}${body.join('\n')}\n`];
}

/** The file after a net diff, line by line as `patch` applies it. */
function patched(lines: readonly string[], diff: string): string[] {
  const result = [...lines];
  for (const hunk of diff.split(/^(?=@@)/m).toReversed()) {
    const [header = '', ...body] = hunk.trimEnd().split('\n');
    const [, start = '', old = ''] = /^@@ -(\d+),(\d+) /.exec(header) ?? [];
    const texts = (sign: string): string[] =>
      body.filter((line) => !line.startsWith(sign)).map((line) => line.slice(1));
    const at = Number(start) - (old === '0' ? 0 : 1);
    assert.deepEqual(result.slice(at, at + Number(old)), texts('+'), 'the hunk fits');
    result.splice(at, Number(old), ...texts('-'));
  }
  return result;
}

test('two edits of one place become one change', () => {
  const [once, first] = edited(FILE, { at: 9, remove: 1, insert: ['ten'] });
  const [, second] = edited(once, { at: 9, remove: 1, insert: ['TEN'] });
  assert.equal(
    netDiff([first, second]),
    '@@ -7,7 +7,7 @@\n line 7\n line 8\n line 9\n-line 10\n+TEN\n line 11\n line 12\n line 13\n',
  );
});

test('an edit and its undo leave nothing', () => {
  const [once, first] = edited(FILE, { at: 4, remove: 2, insert: ['a', 'b', 'c'] });
  const [, back] = edited(once, { at: 4, remove: 3, insert: ['line 5', 'line 6'] });
  assert.equal(netDiff([first, back]), '');
});

test('a new file that was edited is one new file', () => {
  const [once, first] = edited([], { at: 0, remove: 0, insert: ['one', 'two'] });
  const [, second] = edited(once, { at: 1, remove: 1, insert: ['TWO', 'three'] });
  assert.equal(netDiff([first, second]), '@@ -0,0 +1,3 @@\n+one\n+TWO\n+three\n');
});

test('the net diff of any edits turns the first file into the last', () => {
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  for (let round = 0; round < 300; round += 1) {
    let now: string[] = [...FILE];
    const diffs: string[] = [];
    for (let edit = 0; edit <= random(5); edit += 1) {
      const at = random(now.length + 1);
      const insert = Array.from({ length: random(4) }, (_, index) => `new ${round} ${edit} ${index}`);
      const [next, diff] = edited(now, { at, remove: random(Math.min(4, now.length - at + 1)), insert });
      now = next;
      diffs.push(diff);
    }
    const net = netDiff(diffs);
    assert.ok(net !== null);
    assert.deepEqual(patched(FILE, net), now);
  }
});

test('a cut diff, or one that does not follow the previous diff, gives no net diff', () => {
  const [, first] = edited(FILE, { at: 9, remove: 1, insert: ['ten'] });
  assert.equal(netDiff([`${first.slice(0, 60)}\n[… 9 characters left out …]`]), null);
  assert.equal(netDiff([first, first]), null);
  assert.equal(netDiff(['']), null);
});
