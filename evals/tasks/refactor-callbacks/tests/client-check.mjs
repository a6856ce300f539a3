import assert from 'node:assert/strict';
import { fetchAll, fetchPage, totalLength } from '/app/client.mjs';

const failure = (code) => Object.assign(new Error(code), { code });
function transport(failures = {}) {
  const state = { calls: [], pauses: [], open: 0, most: 0 };
  return {
    state,
    get(path, callback) {
      state.calls.push(path);
      state.open += 1;
      state.most = Math.max(state.most, state.open);
      const left = failures[path]?.shift();
      setTimeout(() => {
        state.open -= 1;
        if (left === undefined) callback(null, `body of ${path}`);
        else callback(failure(left));
      }, path.length % 3);
    },
    pause(ms, callback) {
      state.pauses.push(ms);
      setTimeout(callback, 1);
    },
  };
}
const shaky = transport({ '/a': ['busy', 'busy'] });
assert.equal(await fetchPage(shaky, '/a'), 'body of /a');
assert.deepEqual(shaky.state.pauses, [10, 20]);
await assert.rejects(fetchPage(transport({ '/a': ['busy', 'busy', 'busy', 'busy'] }), '/a'), { code: 'busy' });
const gone = transport({ '/a': ['gone'] });
await assert.rejects(fetchPage(gone, '/a'), { code: 'gone' });
assert.equal(gone.state.calls.length, 1);
const paths = ['/one', '/three', '/seven', '/ten', '/x'];
const all = transport({ '/ten': ['busy'] });
assert.deepEqual(await fetchAll(all, paths), paths.map((path) => `body of ${path}`));
assert.equal(all.state.most, 2);
assert.deepEqual(await fetchAll(transport(), []), []);
const stopped = transport({ '/one': ['gone'] });
await assert.rejects(fetchAll(stopped, paths), { code: 'gone' });
await new Promise((resolve) => setTimeout(resolve, 20));
assert.ok(stopped.state.calls.length <= 3, String(stopped.state.calls));
assert.equal(await totalLength(transport(), ['/a', '/bc']), 21);
