import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '@hamlet/test/env/at-end';

/** A function that writes files into a new folder each, deleted after the tests of the calling file. */
export function manifestFolders(name: string): (files: Readonly<Record<string, string>>) => string {
  const folder = testFolder(name);
  let folders = 0;
  return (files) => {
    const dir = join(folder, `${(folders += 1)}`);
    mkdirSync(dir);
    for (const [file, text] of Object.entries(files)) writeFileSync(join(dir, file), text);
    return dir;
  };
}
