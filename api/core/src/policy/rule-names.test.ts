import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOOL_CLASSES, VILLAGE_TOOL_NAMES } from '@hamlet/contract';
import { nearestName, unknownNames } from './rule-names.ts';

test('tools, classes and MCP names are known; any other name is reported with the nearest known one', () => {
  assert.deepEqual(unknownNames([{ tools: [...TOOL_CLASSES, ...VILLAGE_TOOL_NAMES] }]), []);
  assert.deepEqual(unknownNames([{ tools: ['mcp__later', 'mcp__later__do-it'] }]), []);
  assert.deepEqual(unknownNames([{ tools: ['read'] }, { tools: ['shel', 'git_push', 'mcp_files'] }]), [
    'rule 2: shel is neither a tool nor a class of tools: did you mean shell?',
    'rule 2: git_push is neither a tool nor a class of tools: correct the name',
    'rule 2: mcp_files is neither a tool nor a class of tools: correct the name',
  ]);
  assert.deepEqual(unknownNames([{ tools: ['sai'] }], ['read', 'shel']), [
    'spec.tools.allow: shel is neither a tool nor a class of tools: did you mean shell?',
    'rule 1: sai is neither a tool nor a class of tools: did you mean say?',
  ]);
  assert.equal(nearestName('post_to_bord'), 'post_to_board');
  assert.equal(nearestName('Publish'), 'publish');
  assert.equal(nearestName('x'.repeat(64)), null);
});

test('the report of a hostile list is short', () => {
  const tools = Array.from({ length: 64 }, (_, at) => `${'x'.repeat(60)}${at}`);
  assert.equal(unknownNames(Array.from({ length: 64 }, () => ({ tools }))).length, 16);
});
