import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSseParser, MAX_EVENT_CHARS } from './sse-parser.ts';

const STREAM = ': hello\n\nevent: wake\nid: 7\ndata: {"seq":7}\n\n:\n\nevent: cycle\ndata: {"cycle":3}\n\ndata: a\ndata:b\ndata\n\n';

const EVENTS = [
  { event: 'wake', data: '{"seq":7}', id: '7' },
  { event: 'cycle', data: '{"cycle":3}', id: '7' },
  { event: 'message', data: 'a\nb\n', id: '7' },
];

test('events, ids, comments and many data lines', () => {
  assert.deepEqual(createSseParser()(STREAM), EVENTS);
});

for (const newline of ['\n', '\r\n', '\r']) {
  test(`the same events from single characters, lines ended by ${JSON.stringify(newline)}`, () => {
    const parse = createSseParser();
    const stream = STREAM.replaceAll('\n', newline);
    assert.deepEqual([...stream, ' '].flatMap((character) => parse(character)), EVENTS);
  });
}

test('an event without data is none, and an unfinished one waits', () => {
  const parse = createSseParser();
  assert.deepEqual(parse('event: wake\n\ndata: 1\n'), []);
  assert.deepEqual(parse('\n'), [{ event: 'message', data: '1', id: null }]);
});

test('an endless line or event is refused', () => {
  assert.throws(() => createSseParser()('x'.repeat(MAX_EVENT_CHARS + 1)), /a line is longer/);
  const parse = createSseParser();
  const line = `data: ${'x'.repeat(MAX_EVENT_CHARS / 2)}\n`;
  parse(line);
  parse(line);
  assert.throws(() => parse(line), /an event is longer/);
});
