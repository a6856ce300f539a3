import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { acpRuntimes, type AcpParts } from './open-acp.ts';

test('code that cannot be loaded now is loaded for the next conversation', async () => {
  const env = { HAMLET_STATE_DIR: testFolder('open-acp') };
  const runtimes = acpRuntimes({ env, config: {} } as unknown as AcpParts);
  const initialize = () => runtimes().initialize({} as never, {} as never);
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      if (specifier === './acp-runtime.ts') throw new Error('EMFILE: too many open files');
      return next(specifier, context);
    },
  });
  await assert.rejects(initialize(), /EMFILE/);
  hooks.deregister();
  await assert.rejects(initialize(), (error) => !/EMFILE/.test(String(error)), 'it reads the configuration now');
});
