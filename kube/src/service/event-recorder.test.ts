import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KubeClient } from '../client/kube-client.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { EventRecorder } from './event-recorder.ts';

test('one object that tells ever new things is held to a rate; others are not', async () => {
  // Nothing listens there: what is sent is lost, and never holds up who records.
  const client = new KubeClient({ server: 'http://127.0.0.1:9', namespace: 'n', tls: {} });
  const clock = new FakeClock();
  const recorder = new EventRecorder({ client, component: 'test', instance: 'one', clock });
  const tell = (uid: string, message: string): void =>
    recorder.record({
      target: { apiVersion: 'v1', kind: 'Pod', namespace: 'n', name: uid, uid },
      type: 'Normal',
      reason: 'Told',
      message,
    });
  for (let count = 0; count < 40; count += 1) tell('loud', `number ${count}`);
  assert.equal(recorder.dropped, 15);
  tell('quiet', 'once');
  tell('loud', 'number 3');
  assert.equal(recorder.dropped, 15, 'another object, and what is told already, pass');
  clock.pass(60_000);
  tell('loud', 'a minute later');
  assert.equal(recorder.dropped, 15);
  await recorder.flush(0);
  await client.close();
});
