/** Bundles the plugin into one file that any Node from 20 on runs: kubectl/dist/kubectl-hamlet. */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const DIST = join(import.meta.dirname, 'dist');
const FILE = join(DIST, 'kubectl-hamlet');

/** Writes the bundle; returns its path. */
export async function buildPlugin(): Promise<string> {
  rmSync(DIST, { recursive: true, force: true });
  mkdirSync(DIST, { recursive: true });
  const bundle = await rolldown({ input: join(import.meta.dirname, 'src/main.ts'), platform: 'node', logLevel: 'warn' });
  // kubectl finds a plugin by its bare name, and of a file without an ending every Node knows only that it is CommonJS.
  await bundle.write({ file: FILE, format: 'cjs', banner: '#!/usr/bin/env node', minify: 'dce-only' });
  await bundle.close();
  writeFileSync(join(DIST, 'package.json'), '{ "type": "commonjs" }\n');
  chmodSync(FILE, 0o755);
  return FILE;
}

if (import.meta.main) console.log(`wrote ${await buildPlugin()}`);
