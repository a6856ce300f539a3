/**
 * A process that runs test files one after the other, as its parent names them. Modules are loaded and compiled once for
 * all of them. Each file is a suite, so its hooks are its own.
 */
import { after, describe } from 'node:test';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkLeaks, observeProcess } from './leaks.ts';

process.on('message', ({ file }: { readonly file: string }) => {
  describe(file, async () => {
    const before = observeProcess();
    process.argv[1] = resolve(file);
    try {
      await import(pathToFileURL(resolve(file)).href);
    } finally {
      // Hooks run in the order of their registration: this one runs after those of the file.
      after(() => checkLeaks(before));
    }
  });
});
