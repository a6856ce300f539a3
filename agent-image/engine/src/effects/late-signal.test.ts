import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LateSignal } from './late-signal.ts';

test('a signal follows its parent and its own abort, whether it is read before or after them', () => {
  for (const isReadFirst of [true, false]) {
    const parent = new AbortController();
    const [follows, own, ended] = [parent, parent, parent].map(({ signal }) => new LateSignal(signal));
    assert.ok(follows !== undefined && own !== undefined && ended !== undefined);
    if (isReadFirst) for (const late of [follows, own, ended]) assert.equal(late.signal.aborted, false);
    own.abort('late');
    assert.equal(own.signal.reason, 'late');
    ended.end();
    if (isReadFirst) {
      parent.abort('cancelled');
      assert.equal(ended.signal.aborted, false, 'it follows no more');
    } else parent.abort('cancelled');
    assert.equal(follows.signal.reason, 'cancelled');
    assert.equal(own.signal.reason, 'late', 'the first reason stays');
    assert.equal(follows.signal, follows.signal, 'there is one signal');
  }
});
