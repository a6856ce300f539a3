/** Bundles the plugin into one file that any Node from 20 on runs: cli/kubectl/dist/kubectl-hamlet. */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';

const DIST = join(import.meta.dirname, 'dist');

/** Writes the bundle into a folder of its own, which is emptied before; returns its path. */
export async function buildPlugin(folder = DIST): Promise<string> {
  const file = join(folder, 'kubectl-hamlet');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const bundle = await rolldown({
    input: join(import.meta.dirname, 'src/main.ts'),
    platform: 'node',
    logLevel: 'warn',
  });
  // kubectl finds a plugin by its bare name, and of a file without an ending every Node knows only that it is CommonJS.
  await bundle.write({ file, format: 'cjs', banner: '#!/usr/bin/env node', minify: 'dce-only' });
  await bundle.close();
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
  chmodSync(file, 0o755);
  return file;
}

if (import.meta.main) {
  const file = await buildPlugin();
  console.log(`wrote ${file}: copy it to a folder on your PATH, or: export PATH=${dirname(file)}:$PATH`);
}
