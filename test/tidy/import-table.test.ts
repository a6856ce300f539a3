/**
 * The import table of docs/ARCHITECTURE.md, held by the lint: this test plants each forbidden import
 * (value, type-only and by relative path) in a copy of the layout and requires oxlint to refuse it,
 * and plants each allowed one and requires oxlint to pass it.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { after, before, test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');

const FOLDERS = {
  contract: 'api/contract',
  core: 'api/core',
  store: 'api/store',
  server: 'api/server',
  kube: 'kube',
  operator: 'operator',
  crds: 'crds',
  engine: 'agent-image/engine',
  resident: 'agent-image/resident',
  web: 'web',
  kubectl: 'cli/kubectl',
} as const;
type PackageName = keyof typeof FOLDERS;

const MAY_IMPORT: Readonly<Record<PackageName, readonly PackageName[]>> = {
  contract: [],
  core: ['contract'],
  store: ['contract', 'core'],
  server: ['contract', 'core', 'store', 'kube'],
  kube: ['contract'],
  operator: ['contract', 'core', 'kube'],
  crds: ['contract'],
  engine: ['contract', 'core'],
  resident: ['contract', 'core', 'engine'],
  web: ['contract', 'core'],
  kubectl: ['contract', 'core'],
};

const NPM_OWNERS: Readonly<Record<string, readonly PackageName[]>> = {
  pg: ['store'],
  kysely: ['store'],
  ioredis: ['server'],
  'pixi.js': ['web'],
};

const names = Object.keys(FOLDERS) as PackageName[];
let layout = '';

/** Writes one source file into the planted layout; returns its path relative to the layout. */
function plant(from: PackageName, label: string, source: string): string {
  const file = join(FOLDERS[from], 'src', `planted-${label.replaceAll(/[^a-z0-9]+/g, '-')}.ts`);
  mkdirSync(dirname(join(layout, file)), { recursive: true });
  writeFileSync(join(layout, file), source);
  return file;
}

/** Files that oxlint reports as breaking the import table. */
function refusedFiles(): Set<string> {
  const run = spawnSync(join(ROOT, 'node_modules/.bin/oxlint'), ['--format', 'json', '.'], {
    cwd: layout,
    encoding: 'utf8',
  });
  const report = JSON.parse(run.stdout) as { diagnostics: { code: string; filename: string }[] };
  const table = report.diagnostics.filter((d) => /no-restricted-imports|no-nodejs-modules/.test(d.code));
  return new Set(table.map((d) => d.filename));
}

before(() => {
  layout = mkdtempSync(join(tmpdir(), 'hamlet-import-table-'));
  copyFileSync(join(ROOT, '.oxlintrc.json'), join(layout, '.oxlintrc.json'));
});
after(() => rmSync(layout, { recursive: true, force: true }));

test('the lint refuses every forbidden import and passes every allowed one', () => {
  const forbidden: string[] = [];
  const allowed: string[] = [];
  for (const from of names) {
    for (const to of names.filter((name) => name !== from)) {
      const list = MAY_IMPORT[from].includes(to) ? allowed : forbidden;
      list.push(plant(from, `${to}-value`, `import * as it from '@hamlet/${to}';\nexport const kept = it;\n`));
      list.push(plant(from, `${to}-type`, `import type { It } from '@hamlet/${to}';\nexport type Kept = It;\n`));
      const path = relative(join(FOLDERS[from], 'src'), join(FOLDERS[to], 'src/index.ts'));
      forbidden.push(plant(from, `${to}-path`, `import * as it from '${path}';\nexport const kept = it;\n`));
    }
    for (const [npmPackage, owners] of Object.entries(NPM_OWNERS)) {
      const list = owners.includes(from) ? allowed : forbidden;
      list.push(plant(from, `npm-${npmPackage}`, `import * as it from '${npmPackage}';\nexport const kept = it;\n`));
    }
  }
  for (const pure of ['contract', 'core', 'web'] as const) {
    forbidden.push(
      plant(pure, 'node-fs', "import { readFileSync } from 'node:fs';\nexport const kept = readFileSync;\n"),
    );
  }
  const refused = refusedFiles();
  assert.deepEqual(
    forbidden.filter((file) => !refused.has(file)),
    [],
    'forbidden imports that the lint lets through',
  );
  assert.deepEqual(
    allowed.filter((file) => refused.has(file)),
    [],
    'allowed imports that the lint refuses',
  );
  assert.ok(forbidden.length > 100 && allowed.length > 20);
});
