// Exits 0 if node_modules has exactly the versions of package-lock.json, by npm's own record, else 1.
// It runs on Node 18 and newer, because Node 26 may not be installed yet.
import { existsSync, readFileSync } from 'node:fs';

const read = (file) => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')).packages;
const isForThisMachine = ({ os, cpu }) =>
  (os?.includes(process.platform) ?? true) && (cpu?.includes(process.arch) ?? true);

function isCurrent() {
  if (!existsSync(new URL('../../node_modules/.package-lock.json', import.meta.url))) return false;
  const wanted = read('package-lock.json');
  const installed = read('node_modules/.package-lock.json');
  return Object.entries(wanted)
    .filter(([path, entry]) => path.includes('node_modules/') && !(entry.optional && !isForThisMachine(entry)))
    .every(([path, entry]) => {
      if (entry.link) return existsSync(new URL(`../../${path}`, import.meta.url));
      return installed[path]?.version === entry.version || (entry.optional && !(path in installed));
    });
}

process.exitCode = isCurrent() ? 0 : 1;
