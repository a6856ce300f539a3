import { readdirSync, readFileSync } from 'node:fs';

const PAGE_BYTES = 4_096;

/** The parent and the own memory of a process in bytes: what it shares with others is not counted. Null if it has ended. */
function processOf(pid: string): { readonly parent: number; readonly bytes: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 4).split(' ', 1)[0]);
    const [, resident = 0, shared = 0] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ').map(Number);
    return { parent, bytes: (resident - shared) * PAGE_BYTES };
  } catch {
    return null;
  }
}

/** The memory of a process and of all that it started, in bytes. */
export function memoryOf(root: number): number {
  const all = new Map<number, { readonly parent: number; readonly bytes: number }>();
  for (const name of readdirSync('/proc')) {
    const found = /^\d+$/.test(name) ? processOf(name) : null;
    if (found !== null) all.set(Number(name), found);
  }
  let [sum, family] = [0, new Set([root])];
  while (family.size > 0) {
    for (const pid of family) sum += all.get(pid)?.bytes ?? 0;
    const parents = family;
    family = new Set([...all].filter(([pid, { parent }]) => parents.has(parent) && pid !== root).map(([pid]) => pid));
  }
  return sum;
}
