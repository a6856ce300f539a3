import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callInWords } from './call-in-words.ts';

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
    assert.equal(callInWords(answer, TOOLS), 'alone', answer);
});

test('a call at the end of other words is found', () => {
  for (const answer of [
    'I will count them now:\n```json\n{"name": "shell", "arguments": {"command": "ls"}}\n```\n',
    'First `ls`:\n```sh\nls\n```\nNow I call it.\n```json\n{"name": "shell", "arguments": {}}\n```',
    'Let me look.\n<tool_call>\n{"name": "shell", "arguments": {"command": "ls"}}\n</tool_call>',
    'Now:\n```json\n{"name": "shell", "arguments": {"command": "echo `date`"}}\n```',
  ])
    assert.equal(callInWords(answer, TOOLS), 'after_words', answer);
});

test('an answer for people does not count as a call, even if it is JSON or mentions a call', () => {
  for (const answer of [
    '',
    'Use <tool_call> to call a tool.',
    '{"name": "Ada", "arguments": {}}',
    '{"name": "shell"}',
    '```json\n{"name": "shell", "arguments"\n```',
    'I call it: {"name": "shell", "arguments": {}}',
    '{"rows": [1, 2]}',
    'The file has this:\n```json\n{"name": "Ada", "arguments": {}}\n```',
    'It called this:\n```json\n{"name": "shell", "arguments": {}}\n```\nThe folder was empty.',
    'Run this:\n```sh\nls\n```',
  ])
    assert.equal(callInWords(answer, TOOLS), null, answer);
});

test('a hostile answer of a megabyte is read in a moment', () => {
  const many = (text: string): string => text.repeat(2 ** 20 / text.length);
  for (const answer of [`Ha.${many('\n<tool_call>')}.`, `Ha.${many('\n<function=')}.`, `\`\`\`${many('\n')}.`])
    assert.equal(callInWords(answer, TOOLS), null);
});
