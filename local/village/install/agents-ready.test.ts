import assert from 'node:assert/strict';
import { test } from 'node:test';
import { standingOf, whyNot } from './agents-ready.ts';

const metadata = { name: 'ada' };

test('an agent whose Ready condition is True is ready', () => {
  assert.equal(
    standingOf({ metadata, spec: {}, status: { conditions: [{ type: 'Ready', status: 'True', reason: 'Ready' }] } }),
    'ready',
  );
});

test('an agent that somebody put to sleep is not waited for', () => {
  assert.equal(
    standingOf({ metadata, spec: { power: 'Asleep' }, status: { conditions: [{ type: 'Ready', status: 'False' }] } }),
    'asleep',
  );
});

test('an agent on the way says why in the words of its condition', () => {
  const conditions = [
    { type: 'Ready', status: 'False', reason: 'ImageUnavailable', message: 'hamlet/agent:x cannot be pulled' },
  ];
  assert.equal(
    standingOf({ metadata, spec: {}, status: { conditions } }),
    'ImageUnavailable: hamlet/agent:x cannot be pulled',
  );
});

test('an agent without a status has not been seen', () => {
  assert.equal(standingOf({ metadata, spec: {} }), 'not seen by the operator yet');
});

const ready = { metadata, spec: {}, status: { podName: 'ada-2', conditions: [{ type: 'Ready', status: 'True' }] } };
const pod = (
  name: string,
  image: string,
): { metadata: { name: string }; spec: { containers: { image: string }[] } } => ({
  metadata: { name },
  spec: { containers: [{ image }] },
});

test('a ready agent on the image that was installed is waited for no longer', () => {
  assert.equal(whyNot(ready, [pod('ada-1', 'old'), pod('ada-2', 'new')], 'new'), undefined);
  assert.equal(whyNot({ ...ready, spec: { power: 'Asleep' } }, [], 'new'), undefined);
});

test('a ready agent on an older image, or between two pods, is', () => {
  assert.equal(whyNot(ready, [pod('ada-2', 'old')], 'new'), 'ada waits for its new image');
  assert.equal(whyNot(ready, [pod('ada-1', 'new')], 'new'), 'ada gets another pod');
});
