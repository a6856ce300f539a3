/** Bundles the plugin into one file for Node 20 and newer: cli/kubectl/dist/kubectl-hamlet. */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';

const DIST = join(import.meta.dirname, 'dist');

/** Empties the folder and writes the bundle into it. Returns the file's path. */
export async function buildPlugin(folder = DIST): Promise<string> {
  const file = join(folder, 'kubectl-hamlet');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const bundle = await rolldown({
    input: join(import.meta.dirname, 'src/main.ts'),
    platform: 'node',
    logLevel: 'warn',
  });
  // kubectl finds a plugin by its bare name, and Node treats a file without an extension as CommonJS.
  await bundle.write({ file, format: 'cjs', codeSplitting: false, banner: '#!/usr/bin/env node', minify: 'dce-only' });
  await bundle.close();
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
  chmodSync(file, 0o755);
  return file;
}

if (import.meta.main) {
  const file = await buildPlugin();
  console.log(`wrote ${file}: copy it to a folder on your PATH, or: export PATH=${dirname(file)}:$PATH`);
}
