/**
 * Plants each forbidden import (value, type-only and by relative path) and each allowed one in a copy of the layout:
 * oxlint must refuse the former and accept the latter. docs/ARCHITECTURE.md shows the same table.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { LINT_FILE, NPM_OWNERS, PACKAGES, TEST_IMPORTS } from './import-table.ts';

const ROOT = resolve(import.meta.dirname, '../..');
let layout = '';

const folderOf = (name: string): string => join(PACKAGES[name]?.folder ?? name, 'src');

/** Writes one source file into the planted layout; returns its path relative to the layout. */
function plant(folder: string, label: string, source: string): string {
  const file = join(folder, `planted-${label.replaceAll(/[^a-z0-9]+/g, '-')}.ts`);
  mkdirSync(dirname(join(layout, file)), { recursive: true });
  writeFileSync(join(layout, file), source);
  return file;
}

const importing = (specifier: string): string => `import * as it from '${specifier}';\nexport const kept = it;\n`;

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
  for (const file of ['.oxlintrc.json', LINT_FILE]) copyFileSync(join(ROOT, file), join(layout, file));
});
after(() => rmSync(layout, { recursive: true, force: true }));

test('oxlint refuses every forbidden import and accepts every allowed one', () => {
  const forbidden: string[] = [];
  const allowed: string[] = [];
  for (const [from, { imports, exceptions = {}, testImports = [] }] of Object.entries(PACKAGES)) {
    const folder = folderOf(from);
    for (const to of Object.keys(PACKAGES).filter((name) => name !== from)) {
      const list = imports.includes(to) ? allowed : forbidden;
      list.push(plant(folder, `${to}-value`, importing(to)));
      list.push(plant(folder, `${to}-type`, `import type { It } from '${to}';\nexport type Kept = It;\n`));
      forbidden.push(plant(folder, `${to}-path`, importing(relative(folder, join(folderOf(to), 'index.ts')))));
    }
    for (const [within, more] of Object.entries(exceptions))
      for (const to of more) {
        allowed.push(plant(within, `${to}-value`, importing(to)));
        forbidden.push(plant(dirname(within), `${to}-beside`, importing(to)));
      }
    for (const to of testImports) allowed.push(plant(join(folder, 'testing'), `${to}-value`, importing(to)));
    for (const [npmPackage, owner] of Object.entries(NPM_OWNERS)) {
      const list = owner === from ? allowed : forbidden;
      list.push(plant(folder, `npm-${npmPackage}`, importing(npmPackage)));
    }
    for (const tool of TEST_IMPORTS.filter((name) => name !== from)) {
      forbidden.push(plant(folder, `tool-${tool}`, importing(tool)));
      allowed.push(plant(join(folder, 'testing'), `tool-${tool}`, importing(tool)));
    }
  }
  for (const pure of ['@hamlet/contract', '@hamlet/core', '@hamlet/web'])
    forbidden.push(plant(folderOf(pure), 'node-fs', importing('node:fs')));
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
  assert.ok(forbidden.length > 300 && allowed.length > 50);
});

test('docs/ARCHITECTURE.md shows the table', () => {
  const document = readFileSync(join(ROOT, 'docs/ARCHITECTURE.md'), 'utf8');
  const rows = [...document.matchAll(/^\| `(@hamlet\/\w+|hamlet-\w+)` \| `([^`]+)` \|.*\| ([^|]*) \|$/gm)];
  assert.deepEqual(
    rows.map(([, name, folder, imports = '']) => [
      name,
      folder,
      imports.split(', ').filter((each) => !['zod', 'npm packages only'].includes(each)),
    ]),
    Object.entries(PACKAGES).map(([name, { folder, imports }]) => [
      name,
      folder,
      imports.map((each) => each.replace('@hamlet/', '')),
    ]),
  );
});
