import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCallInWords } from './call-in-words.ts';

const TOOLS = new Set(['shell', 'read_file']);

test('an answer that is a call in the form of a text is found', () => {
  for (const answer of [
    '<tool_call>\n{"name": "shell", "arguments": {"command": "ls"}}\n</tool_call>',
    '<function=shell><parameter=command>ls</parameter></function>',
    '[TOOL_CALLS][{"name": "shell", "arguments": {"command": "ls"}}]',
    ' {"name": "shell", "parameters": {"command": "ls"}}\n',
    '```json\n{"tool": "read_file", "input": {"path": "a"}}\n```',
    "{'name': 'shell', 'arguments': {'command': 'ls'}}",
  ])
    assert.equal(isCallInWords(answer, TOOLS), true, answer);
});

test('an answer for people is not, even if it is JSON or speaks of a call', () => {
  for (const answer of [
    '',
    'Use <tool_call> to call a tool.',
    '{"name": "Ada", "arguments": {}}',
    '{"name": "shell"}',
    '```json\n{"name": "shell", "arguments"\n```',
    'I call it: {"name": "shell", "arguments": {}}',
    '{"rows": [1, 2]}',
  ])
    assert.equal(isCallInWords(answer, TOOLS), false, answer);
});
