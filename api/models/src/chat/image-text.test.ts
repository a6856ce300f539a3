import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChatImage, ChatMessage } from './chat-request.ts';
import { describeImages, moveResultImages } from './image-text.ts';

const PNG: ChatImage = { mediaType: 'image/png', data: 'x'.repeat(45_000) };
const GIF: ChatImage = { mediaType: 'image/gif', data: 'R0lG' };

test('a model without eyes reads a text in place of each image', () => {
  const messages: readonly ChatMessage[] = [
    { role: 'system', content: 'You are Ada.' },
    { role: 'user', content: 'Look.', images: [PNG, GIF] },
    { role: 'tool', toolCallId: 'a', content: '', images: [GIF] },
  ];
  assert.deepEqual(describeImages({ messages }).messages, [
    messages[0],
    {
      role: 'user',
      content:
        'Look.\n[image/png, 34 kB: this model cannot see images]\n[image/gif, 1 kB: this model cannot see images]',
    },
    { role: 'tool', toolCallId: 'a', content: '[image/gif, 1 kB: this model cannot see images]' },
  ]);
});

test('images of results follow the last result, in the next message of the user or in one of their own', () => {
  const first: ChatMessage = { role: 'tool', toolCallId: 'a', content: 'one', images: [PNG] };
  const second: ChatMessage = { role: 'tool', toolCallId: 'b', content: 'two', images: [GIF] };
  const bare = [
    { role: 'tool', toolCallId: 'a', content: 'one' },
    { role: 'tool', toolCallId: 'b', content: 'two' },
  ];
  const own = { role: 'user', content: 'The images of the results above:', images: [PNG, GIF] };
  const answer: ChatMessage = { role: 'assistant', content: 'I see.' };
  assert.deepEqual(moveResultImages([first, second]), [...bare, own]);
  assert.deepEqual(moveResultImages([first, second, answer]), [...bare, own, answer]);
  assert.deepEqual(moveResultImages([first, second, { role: 'user', content: 'And?', images: [GIF] }]), [
    ...bare,
    { role: 'user', content: 'And?', images: [PNG, GIF, GIF] },
  ]);
});
