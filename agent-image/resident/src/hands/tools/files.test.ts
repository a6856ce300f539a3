/** File tools under a real supervisor: read, change, undo and search, without a way out of the workspace. */
import assert from 'node:assert/strict';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder, untilEnd } from '@hamlet/test/env/at-end';
import { startHands } from '@hamlet/test/env/hands/start-hands';
import { HANDS_TOOLS } from '@hamlet/contract/resident';
import type { CallContext } from '@hamlet/engine';
import { toolCalls } from '../../testing/tool-calls.ts';
import { type HandsEnd } from '../hands-tool.ts';
import { handsTools } from './hands-tools.ts';
import { NO_CALL_LOG, aHandsKit, callContext, preparedCall, useTool } from '../../testing/a-hands-kit.ts';

const SECRET = 'the secret of the neighbour';
const hands = untilEnd(await startHands());
const outside = testFolder('outside');
writeFileSync(join(outside, 'secret'), SECRET);
let ends: HandsEnd[] = [];
const end = async (_context: CallContext, ended: HandsEnd) => {
  ends = [...ends, ended];
  return null;
};
const kit = aHandsKit(hands, { calls: { ...NO_CALL_LOG, end } });

const at = (name: string): string => join(hands.workspace, name);

const calls = toolCalls(() => kit);
const use = (name: string, input: object, call?: string) => calls.use(name, input, call === undefined ? {} : { call });
const textOf = (name: string, input: object, call?: string) =>
  calls.textOf(name, input, call === undefined ? {} : { call });
const { codeOf } = calls;

test('exactly the tools that run in the hands according to the table have an implementation', () => {
  assert.deepEqual(
    handsTools(kit)
      .map(({ name }) => name)
      .toSorted(),
    Object.keys(HANDS_TOOLS)
      .filter((name) => name !== 'program_act')
      .toSorted(),
  );
});

test('writing a file creates its folders, lines can be read and edited, and each change shows its diff', async () => {
  assert.match(
    await textOf('write_file', { path: 'src/a.py', content: 'one\ntwo\nthree\n' }),
    /^src\/a\.py is written \(change 1\): 3 lines, 14 bytes\.$/,
  );
  assert.match(
    await textOf('read_file', { path: 'src/a.py', first_line: 2, lines: 1 }),
    /^src\/a\.py: lines 2 to 2 of 3\n2\ttwo\n\[… read on with first_line 3 …\]$/,
  );
  const edited = await textOf('edit_file', { path: at('src/a.py'), old_text: 'two', new_text: '$& 2' });
  assert.equal(edited, 'src/a.py is changed (change 2).\n@@ -1,3 +1,3 @@\n one\n-two\n+$& 2\n three\n');
  assert.deepEqual(ends.at(-1)?.report.diff?.split('\n').length, 8);
  assert.equal(await codeOf('edit_file', { path: 'src/a.py', old_text: 'four', new_text: '' }), 'text_not_found');
  assert.equal(await codeOf('edit_file', { path: 'src/a.py', old_text: 'e', new_text: 'E' }), 'text_not_unique');
  assert.equal(await codeOf('edit_file', { path: 'none', old_text: 'e', new_text: 'E' }), 'not_found');
  assert.deepEqual(ends.at(-1)?.outcome.kind, 'failed', 'a refusal is also recorded as the end of the call');
  await textOf('edit_file', { path: 'src/a.py', old_text: 'e', new_text: 'E', all: true });
  assert.equal(readFileSync(at('src/a.py'), 'utf8'), 'onE\n$& 2\nthrEE\n');
});

test('a refused edit says where the text stands: each occurrence, or the nearest lines', async () => {
  await textOf('write_file', { path: 'near.py', content: 'def f(a):\n\treturn a\n\ndef g(b):\n\treturn a\n' });
  const refused = async (old_text: string) => {
    const outcome = await use('edit_file', { path: 'near.py', old_text, new_text: '' });
    return 'text' in outcome ? outcome.text : JSON.stringify(outcome);
  };
  assert.match(await refused('return a'), /contains old_text 2 times, at lines 2, 5\./);
  assert.match(
    await refused('def g(b):\n    return a'),
    /Line 4 differs only in white space[^]*\n4\tdef g\(b\):\n5\t\treturn a$/,
  );
  assert.match(await refused('def f(x):'), /The nearest text begins at line 1[^]*\n1\tdef f\(a\):$/);
  assert.match(await refused('class Mill'), /no line is similar/);
});

test('edits and writes keep the bytes, line endings, mark, mode and link of a file', async () => {
  const latin = Buffer.from('x = 1;\n// caf\xE9 note\n', 'latin1');
  writeFileSync(at('latin1.js'), latin, { mode: 0o755 });
  symlinkSync('latin1.js', at('latin1-link.js'));
  assert.match(
    await textOf('read_file', { path: 'latin1.js' }),
    /lines 1 to 2 of 2, Windows-1252\n1\tx = 1;\n2\t\/\/ café note$/,
  );
  await textOf('edit_file', { path: 'latin1-link.js', old_text: 'x = 1', new_text: 'x = 2' });
  assert.equal(readFileSync(at('latin1.js'), 'latin1'), 'x = 2;\n// caf\xE9 note\n');
  assert.equal(lstatSync(at('latin1.js')).mode & 0o777, 0o755);
  assert.ok(lstatSync(at('latin1-link.js')).isSymbolicLink());
  assert.equal(await codeOf('edit_file', { path: 'latin1.js', old_text: 'note', new_text: '→' }), 'not_in_encoding');
  writeFileSync(at('crlf.py'), '\uFEFFdef f(a):\r\n    return a\r\n');
  assert.match(
    await textOf('read_file', { path: 'crlf.py' }),
    /, CRLF line endings, byte order mark\n1\tdef f\(a\):\n2\t    return a$/,
  );
  const shown = await textOf('edit_file', {
    path: 'crlf.py',
    old_text: 'f(a):\n    return a',
    new_text: 'f(a):\n    return -a',
  });
  assert.doesNotMatch(shown, /\r/);
  assert.equal(readFileSync(at('crlf.py'), 'utf8'), '\uFEFFdef f(a):\r\n    return -a\r\n');
  const written = await textOf('write_file', { path: 'crlf.py', content: 'a\nb\n' });
  assert.match(written, /The file keeps its style: CRLF line endings, byte order mark\.$/);
  assert.equal(readFileSync(at('crlf.py'), 'utf8'), '\uFEFFa\r\nb\r\n');
  writeFileSync(at('data.bin'), Buffer.from('a\0b'));
  assert.equal(await codeOf('edit_file', { path: 'data.bin', old_text: 'a', new_text: 'c' }), 'not_text');
  assert.match(await textOf('read_file', { path: 'data.bin' }), /is not text: 3 bytes, sha256 [0-9a-f]{64}[^]*610062/);
});

test('a file is read by lines as far as there is room, also far within a large file', async () => {
  const lines = Array.from({ length: 200_000 }, (_, line) => `line ${line + 1} of many`);
  writeFileSync(at('large.txt'), `${lines.join('\n')}\n`);
  const far = await textOf('read_file', { path: 'large.txt', first_line: 150_000, lines: 2 });
  assert.match(
    far,
    /^large\.txt: lines 150000 to 150001 of a file of \d+ bytes\n150000\tline 150000 of many\n150001\t/,
  );
  assert.match(far, /read on with first_line 150002/);
  assert.match(await textOf('read_file', { path: 'large.txt', first_line: 200_001 }), /has 200000 lines\.$/);
  const outcome = await useTool(kit)('read_file', { path: 'large.txt' }, { roomChars: 1_000 });
  assert.ok(outcome.kind === 'ok' && outcome.text.length < 1_200, JSON.stringify(outcome).slice(0, 300));
  const next = Number(/first_line (\d+)/.exec(outcome.text)?.[1]);
  assert.match(
    await textOf('read_file', { path: 'large.txt', first_line: next, lines: 1 }),
    new RegExp(`line ${next} of many`),
  );
  writeFileSync(at('wide.txt'), Buffer.from(`\uFEFF${lines.join('\u0A0D\n')}\n`, 'utf16le'));
  assert.match(
    await textOf('read_file', { path: 'wide.txt', lines: 1 }),
    /, UTF-16, byte order mark\n1\tline 1 of many/,
  );
  const wide = await textOf('read_file', { path: 'wide.txt', first_line: 150_000, lines: 1 });
  assert.match(wide, /lines 150000 to 150000 of .*\n150000\tline 150000 of many\u0A0D\n/);
  writeFileSync(at('long.txt'), `a${'😀'.repeat(20_000)}\nend\n`);
  const long = await textOf('read_file', { path: 'long.txt' });
  assert.ok(long.isWellFormed() && long.length < 2_500);
  assert.match(long, /more characters of this line[^]*\n2\tend$/);
});

test('an image is shown as an image; one that is too large is not', async () => {
  const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1A\n', 'latin1'), Buffer.alloc(700_000, 7)]);
  writeFileSync(at('picture'), png);
  const outcome = await use('read_file', { path: 'picture' });
  assert.ok(outcome.kind === 'ok');
  assert.equal(outcome.text, `picture: image/png, ${png.length} bytes.`);
  assert.deepEqual(outcome.images, [{ mediaType: 'image/png', data: png.toString('base64') }]);
  writeFileSync(at('picture'), Buffer.concat([png, Buffer.alloc(4 << 20)]));
  assert.match(
    await textOf('read_file', { path: 'picture' }),
    /is an image \(image\/png\) of \d+ bytes; you can see at most/,
  );
});

test('a change is undone once and only if nothing came after it, and the undo can be undone', async () => {
  await textOf('write_file', { path: 'u', content: 'a' });
  await textOf('write_file', { path: 'u', content: 'b' });
  const listed = await textOf('list_changes', { limit: 2 });
  const [last, first] = [...listed.matchAll(/- (\d+): u (\w+)/g)].map(([, number]) => Number(number));
  assert.ok(last !== undefined && first !== undefined, listed);
  assert.equal(await codeOf('undo_change', { change: first }), 'changed');
  await textOf('undo_change', { change: last });
  assert.equal(ends.at(-1)?.report.undoes, last);
  assert.equal(typeof ends.at(-1)?.report.change, 'number');
  assert.equal(readFileSync(at('u'), 'utf8'), 'a');
  await textOf('undo_change', { change: first });
  assert.throws(() => readFileSync(at('u')), /ENOENT/);
  assert.match(await textOf('list_changes', { limit: 1 }), /u removed/);
  const removed = Number(/- (\d+)/.exec(await textOf('list_changes', { limit: 1 }))?.[1]);
  await textOf('undo_change', { change: removed });
  assert.equal(readFileSync(at('u'), 'utf8'), 'a');
  assert.equal(await codeOf('undo_change', { change: 999_999 }), 'no_such_change');
});

test('a repeated attempt of a call makes no further change', async () => {
  await textOf('write_file', { path: 'r', content: 'x' });
  const edit = { path: 'r', old_text: 'x', new_text: 'xx' };
  const first = await textOf('edit_file', edit, '7.0');
  assert.equal(await textOf('edit_file', edit, '7.0'), first);
  assert.equal(readFileSync(at('r'), 'utf8'), 'xx');
});

test("overwriting the tool's own last write detects another program's changes, and undo restores them", async () => {
  const once = useTool(kit);
  /** The difference that people see. */
  const write = async (content: string): Promise<string> => {
    const outcome = await once('write_file', { path: 'again.txt', content });
    assert.ok(outcome.kind === 'ok', JSON.stringify(outcome));
    return ends.at(-1)?.report.diff ?? '';
  };
  const undo = async (): Promise<void> => {
    const { change } = ends.at(-1)?.report ?? {};
    assert.equal((await once('undo_change', { change })).kind, 'ok');
  };
  assert.match(await write('one\n'), /dev\/null/);
  assert.match(await write('two\n'), /-one\n\+two/);
  writeFileSync(at('again.txt'), 'by another\n');
  const over = await write('three\n');
  assert.match(over, /-by another\n\+three/);
  await undo();
  assert.equal(readFileSync(at('again.txt'), 'utf8'), 'by another\n');
  assert.match(await write('four\n'), /-by another\n\+four/);
  rmSync(at('again.txt'));
  const fresh = await write('five\n');
  assert.match(fresh, /dev\/null/);
  await undo();
  assert.equal(existsSync(at('again.txt')), false);
  assert.match(await write('six\n'), /dev\/null/);
  const repeated = callContext();
  const seven = preparedCall({ ...kit }, 'write_file', { path: 'again.txt', content: 'seven\n' });
  const first = await seven.execute(repeated);
  assert.deepEqual(await seven.execute(repeated), first, 'a repeated attempt makes the same change');
});

test('files are listed and searched, by words and by names', async () => {
  mkdirSync(at('find/deep'), { recursive: true });
  writeFileSync(at('find/deep/x.txt'), 'a walnut\nA Walnut again\n');
  writeFileSync(at('find/y.md'), 'no nut\n');
  assert.equal(await textOf('list_files', { path: 'find' }), 'find:\ndeep (folder)\ny.md, 7 bytes');
  assert.equal(await textOf('search_files', { pattern: 'wal.ut', path: 'find' }), 'find/deep/x.txt:1:a walnut');
  assert.match(
    await textOf('read_file', { path: 'find/deep/x.txt' }),
    /walnut/,
    'read_file takes the name as it was found',
  );
  assert.equal(await textOf('search_files', { glob: 'y.md' }), 'find/y.md');
  assert.match(
    await textOf('search_files', { pattern: 'WALNUT', ignore_case: true, path: 'find', glob: '*.txt' }),
    /:1:[^]*:2:/,
  );
  assert.equal(await textOf('search_files', { glob: '*.md', path: 'find' }), 'find/y.md');
  assert.match(await textOf('search_files', { pattern: 'nut', path: 'find', limit: 1 }), /more are left out/);
  writeFileSync(
    at('find/wide.txt'),
    Array.from({ length: 150 }, (_, line) => `😀 ${line} ${'å'.repeat(180)} end`).join('\n'),
  );
  const wide = await textOf('search_files', { pattern: 'end', path: 'find', limit: 200 });
  assert.equal(wide.split('\n').length, 150, 'a result of more than 16 KiB is whole');
  assert.ok(wide.isWellFormed() && !wide.includes('\uFFFD'));
  assert.equal(await textOf('search_files', { pattern: '-e x; touch /tmp/no', path: 'find' }), 'Nothing was found.');
});

/** Paths that lead out of the workspace, each made by a hostile program. */
const ESCAPES: Readonly<Record<string, () => string>> = {
  'the folder above': () => '../outside',
  'above after a folder': () => 'a/../../secret',
  'an absolute path': () => join(outside, 'secret'),
  'a link to a file': () => {
    symlinkSync(join(outside, 'secret'), at('link-file'));
    return 'link-file';
  },
  'a link to a folder': () => {
    symlinkSync(outside, at('link-folder'));
    return 'link-folder/secret';
  },
  'a relative link': () => {
    symlinkSync(`../../${outside.slice(outside.lastIndexOf('/') + 1)}/secret`, at('link-relative'));
    return 'link-relative';
  },
  'a chain of links': () => {
    symlinkSync(outside, at('link-1'));
    symlinkSync('link-1/secret', at('link-2'));
    return 'link-2';
  },
  'the root of a process': () => {
    symlinkSync('/proc/self/root', at('link-proc'));
    return `link-proc${outside}/secret`;
  },
  'the folder of a process': () => {
    symlinkSync('/proc/self/cwd', at('link-cwd'));
    return 'link-cwd/../../secret';
  },
  'a device': () => '/dev/zero',
};

test('no path leads out of the workspace, to read, write, edit, list, search or undo', async () => {
  for (const [name, make] of Object.entries(ESCAPES)) {
    const path = make();
    for (const [tool, input] of Object.entries({
      read_file: { path },
      write_file: { path, content: 'taken over' },
      edit_file: { path, old_text: 'secret', new_text: 'taken' },
      list_files: { path },
      search_files: { path, pattern: 'secret' },
    })) {
      const outcome = await use(tool, input);
      assert.ok(!JSON.stringify(outcome).includes(SECRET), `${tool} by ${name}`);
      assert.equal(outcome.kind, 'failed', `${tool} by ${name}: ${JSON.stringify(outcome)}`);
    }
  }
  assert.equal(readFileSync(join(outside, 'secret'), 'utf8'), SECRET);
});

test('a file outside behind a hard link stays unchanged, and pipes and devices do not count as files', async () => {
  linkSync(join(outside, 'secret'), at('hard'));
  await textOf('write_file', { path: 'hard', content: 'mine' });
  assert.equal(readFileSync(join(outside, 'secret'), 'utf8'), SECRET);
  await textOf('shell', { command: 'mkfifo pipe' });
  assert.equal(await codeOf('read_file', { path: 'pipe' }), 'wrong_kind');
});

const IN_THE_WAY: ReadonlySet<string> = new Set(['EEXIST', 'ENOTEMPTY', 'EISDIR']);

/** Replaces `path` with something else. A tool that writes below the path may create it again meanwhile. */
function replaceBy(path: string, put: () => void): void {
  for (;;) {
    try {
      rmSync(path, { recursive: true, force: true });
      return put();
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && IN_THE_WAY.has(String(error.code)))) throw error;
    }
  }
}

test('a folder that becomes a link while tools run never leads them out of the workspace', async () => {
  mkdirSync(at('race'));
  writeFileSync(at('race/secret'), 'own');
  let isOver = false;
  const swapping = (async () => {
    for (let turn = 0; !isOver; turn += 1) {
      renameSync(at('race'), at('race-kept'));
      replaceBy(at('race'), () => symlinkSync(outside, at('race')));
      await new Promise((resolve) => setImmediate(resolve));
      replaceBy(at('race'), () => renameSync(at('race-kept'), at('race')));
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  for (let tries = 0; tries < 40; tries += 1) {
    const read = await use('read_file', { path: 'race/secret' });
    const written = await use('write_file', { path: 'race/secret', content: `own ${tries}` });
    const found = tries % 10 === 0 ? await use('search_files', { path: 'race', pattern: '.' }) : null;
    assert.ok(!JSON.stringify([read, written, found]).includes(SECRET));
  }
  isOver = true;
  await swapping;
  assert.equal(readFileSync(join(outside, 'secret'), 'utf8'), SECRET);
});
