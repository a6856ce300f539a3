import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outcomeInWords, plainInWords } from './outcome-words.ts';

test('people read the words of an outcome, not its JSON', () => {
  assert.equal(outcomeInWords('{"kind":"ok","text":"1 of 3 done"}'), '1 of 3 done');
  assert.equal(
    outcomeInWords('{"code":"no_such_tool","kind":"denied","text":"There is no tool bash."}'),
    'There is no tool bash.',
  );
  const issues = [
    { path: 'command', expected: 'a string' },
    { path: '', expected: 'the arguments are command and timeout_s' },
  ];
  assert.equal(
    outcomeInWords(JSON.stringify({ kind: 'invalid_input', issues })),
    'command: a string\nthe arguments are command and timeout_s',
  );
});

test('a text other than an outcome with words stays as it is', () => {
  for (const text of ['Said.', '{"kind":"over_budget","code":"no_progress"}', '{"text":3}', '[1]', 'null', '{"text"'])
    assert.equal(outcomeInWords(text), text);
});

test('a plain text stays as it is, and a JSON string gives its text', () => {
  assert.equal(plainInWords('"Said."'), 'Said.');
  for (const text of ['{"text":"x"}', '[1]', '"cut']) assert.equal(plainInWords(text), text);
});
