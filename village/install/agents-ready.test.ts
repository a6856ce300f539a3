import assert from 'node:assert/strict';
import { test } from 'node:test';
import { standingOf } from './agents-ready.ts';

const metadata = { name: 'ada' };

test('an agent whose Ready condition is True is ready', () => {
  assert.equal(standingOf({ metadata, spec: {}, status: { conditions: [{ type: 'Ready', status: 'True', reason: 'Ready' }] } }), 'ready');
});

test('an agent that somebody put to sleep is not waited for', () => {
  assert.equal(standingOf({ metadata, spec: { power: 'Asleep' }, status: { conditions: [{ type: 'Ready', status: 'False' }] } }), 'asleep');
});

test('an agent on the way says why in the words of its condition', () => {
  const conditions = [{ type: 'Ready', status: 'False', reason: 'ImageUnavailable', message: 'hamlet/agent:x cannot be pulled' }];
  assert.equal(standingOf({ metadata, spec: {}, status: { conditions } }), 'ImageUnavailable: hamlet/agent:x cannot be pulled');
});

test('an agent without a status has not been seen', () => {
  assert.equal(standingOf({ metadata, spec: {} }), 'not seen by the operator yet');
});
