import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from './ports.ts';
import { withRecentImages } from './recent-images.ts';

const image = (data: string) => ({ mediaType: 'image/png' as const, data });
const result = (content: string, ...data: string[]): Message => ({
  role: 'tool',
  callId: content,
  content,
  outcome: 'ok',
  ...(data.length > 0 && { images: data.map(image) }),
});
const shown = (messages: readonly Message[]): readonly string[] =>
  messages.map((message) => {
    const images = message.role === 'tool' ? (message.images ?? []) : [];
    return [message.content.replaceAll(/\[An image[^\]]*\]/g, '[gone]'), ...images.map(({ data }) => data)].join(' ');
  });

test('the four newest images are sent; a text stands for each older one', () => {
  const messages: Message[] = [
    { role: 'user', content: 'look' },
    result('one', 'a', 'b'),
    result('two'),
    result('three', 'c', 'd', 'e'),
  ];
  assert.deepEqual(shown(withRecentImages(messages)), ['look', 'one\n[gone] b', 'two', 'three c d e']);
  assert.equal(withRecentImages(messages.slice(0, 1)).length, 1);
});

test('the older images are left out until the rest fits', () => {
  const large = 'x'.repeat(4 << 20);
  const [first, second] = shown(withRecentImages([result('one', large), result('two', large)]));
  assert.equal(first, 'one\n[gone]');
  assert.equal(second?.length, 4 + large.length);
});
