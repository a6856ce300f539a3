import assert from 'node:assert/strict';
import { test } from 'node:test';
import { podChange, podChangeWords } from './compute-change.ts';

const gpu = { mode: 'None', resource_name: null, count: 0, claim_template_name: null } as const;
const small = { cpu: '500m', memory: '512Mi', gpu, priority_class_name: null };

test('cpu and memory change while a pod runs; a GPU or another priority needs another pod', () => {
  assert.equal(podChange(small, { ...small }), 'none');
  assert.equal(podChange(small, { ...small, memory: '1Gi' }), 'resized');
  assert.equal(podChange(small, { ...small, gpu: { ...gpu, mode: 'Shared', count: 1 } }), 'replaced');
  assert.equal(podChange(small, { ...small, priority_class_name: 'hamlet-tier-2' }), 'replaced');
  assert.equal(
    podChange(small, { ...small, gpu: { ...gpu, resource_name: 'nvidia.com/gpu' } }),
    'none',
    'the name of a GPU that is not there',
  );
});

test('what becomes of the pods is said of one and of many', () => {
  assert.deepEqual(
    [podChangeWords('none', 'Its pod'), podChangeWords('resized', 'Their pods'), podChangeWords('replaced', 'Its pod')],
    ['', 'Their pods are resized and not restarted.', 'Its pod is replaced; its volume stays.'],
  );
});
