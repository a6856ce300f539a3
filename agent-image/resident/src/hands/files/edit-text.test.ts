/** Edits of files of all encodings and line endings: every byte outside of the edit stays. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editText } from './edit-text.ts';
import { codecOf, inStyleOf } from './text-codec.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

interface Case {
  readonly before: Buffer;
  readonly old: string;
  readonly fresh: string;
  readonly all?: boolean;
  /** The new content, or the kind of the refusal. */
  readonly after: Buffer | 'not_found' | 'not_unique' | 'not_in_encoding';
}

const CASES: Readonly<Record<string, Case>> = {
  'one line of ASCII in Latin-1': {
    before: bytes('x = 1;\n// caf\xe9\n'),
    old: 'x = 1;',
    fresh: 'x = 2;',
    after: bytes('x = 2;\n// caf\xe9\n'),
  },
  'a Latin-1 character is found and written as one byte': {
    before: bytes('caf\xe9 \x80\n'),
    old: 'café €',
    fresh: 'thé “à” €',
    after: bytes('th\xe9 \x93\xe0\x94 \x80\n'),
  },
  'a character that the encoding lacks': {
    before: bytes('caf\xe9\n'),
    old: 'caf',
    fresh: 'Ł',
    after: 'not_in_encoding',
  },
  'UTF-8 with one broken byte keeps both': {
    before: Buffer.concat([Buffer.from('grün\n'), bytes('\xff\n')]),
    old: 'grün',
    fresh: 'blaß',
    after: Buffer.concat([Buffer.from('blaß\n'), bytes('\xff\n')]),
  },
  'UTF-16 with its mark': {
    before: Buffer.from('\uFEFFone\r\ntwo\r\n', 'utf16le'),
    old: 'one\ntwo',
    fresh: 'one\n😀',
    after: Buffer.from('\uFEFFone\r\n😀\r\n', 'utf16le'),
  },
  'two lines with LF in a CRLF file': {
    before: Buffer.from('a\r\nb\r\nc\r\n'),
    old: 'a\nb',
    fresh: 'a\nx\ny',
    after: Buffer.from('a\r\nx\r\ny\r\nc\r\n'),
  },
  'one line becomes two in a CRLF file': {
    before: Buffer.from('a\r\nb\r\n'),
    old: 'b',
    fresh: 'b\nc',
    after: Buffer.from('a\r\nb\r\nc\r\n'),
  },
  'a leading LF in a CRLF file': {
    before: Buffer.from('a\r\nb\r\n'),
    old: '\nb',
    fresh: '\nx\nb',
    after: Buffer.from('a\r\nx\r\nb\r\n'),
  },
  'two lines with CRLF in an LF file': {
    before: Buffer.from('a\nb\nc\n'),
    old: 'a\r\nb',
    fresh: 'a\r\nx',
    after: Buffer.from('a\nx\nc\n'),
  },
  'CRLF is replaced on purpose': {
    before: Buffer.from('a\r\nb\r\n'),
    old: 'a\r\nb',
    fresh: 'a\nb',
    after: Buffer.from('a\nb\r\n'),
  },
  'mixed line endings outside of the change stay': {
    before: Buffer.from('a\r\nb\nc\r\nd\n'),
    old: 'a\nb\nc\nd',
    fresh: 'a\nb\nX\nd',
    after: Buffer.from('a\r\nb\nX\r\nd\n'),
  },
  'the mark at the beginning stays': {
    before: Buffer.from('\uFEFFfirst\nsecond'),
    old: 'second',
    fresh: 'zweite',
    after: Buffer.from('\uFEFFfirst\nzweite'),
  },
  'a dollar sign is text': { before: Buffer.from('a'), old: 'a', fresh: "$& $' $$", after: Buffer.from("$& $' $$") },
  'each occurrence, also at both ends': {
    before: Buffer.from('e\r\ne e\r\ne'),
    old: 'e',
    fresh: 'ee',
    all: true,
    after: Buffer.from('ee\r\nee ee\r\nee'),
  },
  'several occurrences without all': { before: Buffer.from('e\nx\ne'), old: 'e', fresh: '', after: 'not_unique' },
  'no occurrence': { before: Buffer.from('a\r\n'), old: 'b\nc', fresh: '', after: 'not_found' },
};

for (const [title, { before, old, fresh, all = false, after }] of Object.entries(CASES))
  test(`an edit keeps the other bytes: ${title}`, () => {
    const codec = codecOf(before);
    assert.ok(codec !== null);
    assert.deepEqual(codec.encode(codec.decode(before)), before);
    const end = editText(before, codec, { old, fresh, all });
    if (typeof after === 'string') return assert.equal(end.kind, after);
    assert.ok(end.kind === 'edited', end.kind);
    assert.deepEqual(end.data.toString('latin1'), after.toString('latin1'));
  });

test('several occurrences come with their lines', () => {
  const text = Buffer.from('one\ntwo one\n\none\n');
  const codec = codecOf(text);
  assert.ok(codec !== null);
  assert.deepEqual(editText(text, codec, { old: 'one', fresh: '', all: false }), {
    kind: 'not_unique',
    lines: [1, 2, 4],
  });
});

test('every byte has a character of its own, and bytes with NUL are not text', () => {
  const all = Buffer.from(Array.from({ length: 255 }, (_, index) => index + 1));
  const codec = codecOf(all);
  assert.equal(codec?.name, 'Windows-1252');
  assert.deepEqual(codec?.encode(codec.decode(all)), all);
  assert.equal(codecOf(Buffer.from('a\0b')), null);
});

test('a whole new content gets the encoding, line endings and mark of the file, if it lacks them', () => {
  const of = (before: Buffer | null, content: string): readonly [string, string] => {
    const { data, note } = inStyleOf(before, content);
    return [data.toString('latin1'), note];
  };
  assert.deepEqual(of(null, 'a\n'), ['a\n', '']);
  assert.deepEqual(of(Buffer.from('a\n'), 'b\r\n'), ['b\r\n', '']);
  assert.deepEqual(of(Buffer.from('a\r\n'), 'b\nc\n'), ['b\r\nc\r\n', ' The file keeps its style: CRLF line endings.']);
  assert.deepEqual(of(Buffer.from('\uFEFFa\n'), 'b\n'), [
    Buffer.from('\uFEFFb\n').toString('latin1'),
    ' The file keeps its style: byte order mark.',
  ]);
  assert.deepEqual(of(bytes('\xe9\n'), 'é!'), ['\xe9!', ' The file keeps its style: Windows-1252.']);
  assert.deepEqual(of(bytes('\xe9\n'), '→'), [
    Buffer.from('→').toString('latin1'),
    ' It is UTF-8 now, because Windows-1252 lacks one of its characters.',
  ]);
  assert.deepEqual(of(Buffer.from('a\0'), 'b'), ['b', '']);
});
