import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../..');

/** Packages that only some requests need; the first of these loads them. At the start they would cost every process time and memory. */
const LATE = [
  '@a2a-js/sdk',
  '@agentclientprotocol/sdk',
  '@kubernetes/client-node',
  '@modelcontextprotocol',
  '@node-rs/argon2',
  'ajv',
  'bullmq/dist/cjs/postgres',
  'nodemailer',
  'openid-client',
  'playwright-core',
  'undici/lib/web',
  'web-tree-sitter',
  'yaml',
];

/** Writes each module that the process loads to stderr, and each object of Intl, the first of which takes 8 MB. */
const WATCH = `
  const { registerHooks } = await import('node:module');
  registerHooks({ load: (url, context, next) => (console.error('loads ' + url), next(url, context)) });
  for (const name of ['Collator', 'DateTimeFormat', 'NumberFormat', 'PluralRules', 'Segmenter'])
    Intl[name] = new Proxy(Intl[name], { construct: () => (console.error('loads Intl.' + name), {}) });`;

/** Modules that a program loads before it does anything. */
async function loadedBy(main: string): Promise<readonly string[]> {
  const preload = `data:text/javascript,${encodeURIComponent(WATCH)}`;
  const { stderr } = await promisify(execFile)(process.execPath, ['--import', preload, resolve(ROOT, main), '--help'], {
    maxBuffer: 16 << 20,
  });
  return [...stderr.matchAll(/^loads (.*)$/gm)].map(([, module = '']) => module);
}

for (const main of ['agent-image/resident/src/main.ts', 'api/broker/src/main.ts', 'operator/src/main.ts'])
  test(`the start of ${main} loads parts of the core by their own names, because the whole takes 15 MB`, async () => {
    const core = (await loadedBy(main)).filter((module) => module.includes('/api/core/src/'));
    assert.ok(core.length > 0);
    assert.ok(!core.some((module) => module.endsWith('/api/core/src/index.ts')));
  });

for (const main of ['api/server/src/main.ts', 'agent-image/resident/src/main.ts', 'operator/src/main.ts'])
  test(`the start of ${main} loads no package that few requests need, and no data of languages`, async () => {
    const loaded = await loadedBy(main);
    assert.ok(loaded.some((module) => module.includes('/node_modules/zod/')));
    const late = loaded.filter(
      (module) => module.startsWith('Intl.') || LATE.some((name) => module.includes(`/node_modules/${name}/`)),
    );
    assert.deepEqual(late, []);
  });
