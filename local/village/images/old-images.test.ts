import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oldVersions } from './old-images.ts';

const version = (name: string, created: number) => ({ family: name.slice(0, name.lastIndexOf(':')), name, created });

test('only the newest versions of each image and package folder stay', () => {
  const versions = [
    version('api:a', 3),
    version('api:b', 9),
    version('api:c', 1),
    version('agent:a', 2),
    version('api:d', 5),
  ];
  assert.deepEqual(oldVersions(versions, 2), ['api:a', 'api:c']);
  assert.deepEqual(oldVersions(versions, 4), []);
  assert.deepEqual(oldVersions([], 3), []);
});
