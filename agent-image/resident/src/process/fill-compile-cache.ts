/**
 * Fills Node's compile cache (NODE_COMPILE_CACHE) with every module that a resident may load, also those that it loads when they are
 * first needed. Node would strip the types of a missing one with its own WebAssembly compiler, which takes 20 MB of the pod for as
 * long as it runs. Runs while the image is built, with the flags of the pod, since they are part of the cache's key.
 */
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const TREE = resolve(import.meta.dirname, '../../../..');
/** Packages that are loaded when they are first needed. */
const LATE_PACKAGES = ['yaml'];
const SOURCES = ['agent-image/resident/src', 'agent-image/engine/src', 'api/models/src'];
/** Programs run by themselves when they are loaded. */
const isModule = (file: string): boolean =>
  !/\.test\.ts$|\/(?:testing|programs)\/|\/main\.ts$|\/fill-compile-cache\.ts$/.test(file);

const files = SOURCES.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: TREE })).filter(isModule);
for (const file of files) await import(pathToFileURL(resolve(TREE, file)).href);
for (const name of LATE_PACKAGES) await import(name);
process.exit();
