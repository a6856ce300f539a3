import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stateOf, whyNot } from './agents-ready.ts';

const metadata = { name: 'ada' };

test('an agent whose Ready condition is True is ready', () => {
  assert.equal(
    stateOf({ metadata, spec: {}, status: { conditions: [{ type: 'Ready', status: 'True', reason: 'Ready' }] } }),
    'ready',
  );
});

test('an agent with power Asleep is asleep', () => {
  assert.equal(
    stateOf({ metadata, spec: { power: 'Asleep' }, status: { conditions: [{ type: 'Ready', status: 'False' }] } }),
    'asleep',
  );
});

test('an agent that is not ready shows the reason and message of its condition', () => {
  const conditions = [
    { type: 'Ready', status: 'False', reason: 'ImageUnavailable', message: 'hamlet/agent:x cannot be pulled' },
  ];
  assert.equal(
    stateOf({ metadata, spec: {}, status: { conditions } }),
    'ImageUnavailable: hamlet/agent:x cannot be pulled',
  );
});

test('an agent without a status waits for the operator', () => {
  assert.equal(stateOf({ metadata, spec: {} }), 'has no status from the operator yet');
});

const ready = { metadata, spec: {}, status: { podName: 'ada-2', conditions: [{ type: 'Ready', status: 'True' }] } };
const pod = (
  name: string,
  image: string,
): { metadata: { name: string }; spec: { containers: { image: string }[] } } => ({
  metadata: { name },
  spec: { containers: [{ image }] },
});

test('a ready agent on the installed image ends the wait', () => {
  assert.equal(whyNot(ready, [pod('ada-1', 'old'), pod('ada-2', 'new')], 'new'), undefined);
  assert.equal(whyNot({ ...ready, spec: { power: 'Asleep' } }, [], 'new'), undefined);
});

test('make up keeps waiting for an agent that runs an older image or has no pod yet', () => {
  assert.equal(whyNot(ready, [pod('ada-2', 'old')], 'new'), 'ada waits for its new image');
  assert.equal(whyNot(ready, [pod('ada-1', 'new')], 'new'), 'ada: the operator is creating its pod');
});
