import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatRequestOf } from '../chat/chat-request-of.ts';
import { joinSystem } from './join-system.ts';

test('a marked part of the system text stays apart for providers with a cache, and is joined for the others', () => {
  const content = [
    { type: 'text', text: 'You are Ada.', cache_control: { type: 'ephemeral' } },
    { type: 'text', text: 'It is noon.' },
  ];
  const request = chatRequestOf({
    model: 'm',
    messages: [
      { role: 'system', content },
      { role: 'user', content: 'Hello' },
    ],
  });
  assert.deepEqual(request.messages.slice(0, 2), [
    { role: 'system', content: 'You are Ada.', cacheable: true },
    { role: 'system', content: 'It is noon.' },
  ]);
  assert.deepEqual(joinSystem(request).messages, [
    { role: 'system', content: 'You are Ada.\n\nIt is noon.' },
    { role: 'user', content: 'Hello' },
  ]);
});
