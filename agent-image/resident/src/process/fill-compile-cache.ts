/**
 * Fills Node's compile cache (NODE_COMPILE_CACHE) with every module that a resident may load, including those that it loads on
 * demand. For a missing module Node would strip the types with its WebAssembly compiler, which occupies 20 MB of the pod
 * permanently. Runs during the image build, with the flags of the pod, because they are part of the cache key.
 */
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const TREE = resolve(import.meta.dirname, '../../../..');
/** Packages that are loaded on demand. */
const LATE_PACKAGES = ['yaml'];
const SOURCES = ['agent-image/resident/src', 'agent-image/engine/src', 'api/models/src'];
/** Loading a program runs it. */
const isModule = (file: string): boolean =>
  !/\.test\.ts$|\/(?:testing|programs)\/|\/main\.ts$|\/fill-compile-cache\.ts$/.test(file);

const files = SOURCES.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: TREE })).filter(isModule);
for (const file of files) await import(pathToFileURL(resolve(TREE, file)).href);
for (const name of LATE_PACKAGES) await import(name);
process.exit();
