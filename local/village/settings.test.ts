import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from './failure.ts';
import { readSettings } from './settings.ts';

test('the default is the local cluster on port 8080', () => {
  assert.deepEqual(readSettings({}), {
    cluster: 'local',
    yes: false,
    imageRegistry: undefined,
    architectures: undefined,
    tools: 'full',
    port: 8080,
    outside: undefined,
    values: undefined,
    namespace: 'hamlet',
    wipe: false,
    fresh: false,
    who: undefined,
    file: undefined,
    until: undefined,
    model: {},
  });
});

test('environment variables replace the defaults', () => {
  const settings = readSettings({
    CLUSTER: 'current',
    YES: '1',
    IMAGE_REGISTRY: 'example.org/team/',
    ARCH: 'arm64,amd64',
    TOOLS: 'slim',
    PORT: '9000',
    OUTSIDE: 'on',
    VALUES: 'village.yaml',
    NAMESPACE: 'meadow',
    WIPE: '1',
    FRESH: '1',
    WHO: 'ada',
    MODEL: 'http://models:8000/v1',
    MODEL_NAME: '',
    UNTIL: '2026-11-30T03:12:07Z',
  });
  assert.deepEqual(settings, {
    cluster: 'current',
    yes: true,
    imageRegistry: 'example.org/team',
    architectures: ['arm64', 'amd64'],
    tools: 'slim',
    port: 9000,
    outside: 'on',
    values: 'village.yaml',
    namespace: 'meadow',
    wipe: true,
    fresh: true,
    who: 'ada',
    file: undefined,
    until: '2026-11-30T03:12:07Z',
    model: { MODEL: 'http://models:8000/v1' },
  });
});

test('ARCH=all selects every architecture', () => {
  assert.deepEqual(readSettings({ ARCH: 'all' }).architectures, ['amd64', 'arm64']);
});

test('OUTSIDE accepts on and off', () => {
  assert.equal(readSettings({ OUTSIDE: '' }).outside, undefined);
  assert.throws(() => readSettings({ OUTSIDE: '1' }), Failure);
});

test('0 and an empty text mean no', () => {
  assert.equal(readSettings({ YES: '0' }).yes, false);
  assert.equal(readSettings({ WIPE: '' }).wipe, false);
});

const WRONG: Readonly<Record<string, string>> = {
  ARCH: 'mips',
  CLUSTER: 'remote',
  PORT: 'http',
  NAMESPACE: 'My_Village',
};
for (const [name, value] of Object.entries(WRONG)) {
  test(`${name}=${value} is refused with the allowed values`, () => {
    assert.throws(
      () => readSettings({ [name]: value }),
      (error) => error instanceof Failure && error.message.includes(`${name}=${value}`) && (error.fix ?? '') !== '',
    );
  });
}
