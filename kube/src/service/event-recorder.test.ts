import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KubeClient } from '../client/kube-client.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { EventRecorder } from './event-recorder.ts';

test('the rate limit applies to one object with many distinct events, not to others', async () => {
  // Nothing listens on this port. Events are lost, and `record` never waits.
  const client = new KubeClient({ server: 'http://127.0.0.1:9', namespace: 'n', tls: {} });
  const clock = new FakeClock();
  const recorder = new EventRecorder({ client, component: 'test', instance: 'one', clock });
  const emit = (uid: string, message: string): void =>
    recorder.record({
      target: { apiVersion: 'v1', kind: 'Pod', namespace: 'n', name: uid, uid },
      type: 'Normal',
      reason: 'Told',
      message,
    });
  for (let count = 0; count < 40; count += 1) emit('loud', `number ${count}`);
  assert.equal(recorder.dropped, 15);
  emit('quiet', 'once');
  emit('loud', 'number 3');
  assert.equal(recorder.dropped, 15, 'events of another object and repeated events pass');
  clock.pass(60_000);
  emit('loud', 'a minute later');
  assert.equal(recorder.dropped, 15);
  await recorder.flush(0);
  await client.close();
});
