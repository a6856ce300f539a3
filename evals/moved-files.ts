/** The files of a task, moved from the root of an image into one folder of the hands. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EvalTask } from './task.ts';

/** The text with each path below a root of the task led to the folder `base`. Pure. */
export function movedText({ build }: Pick<EvalTask, 'build'>, base: string, text: string): string {
  const roots = build.roots.map((root) => root.slice(1)).join('|');
  return text.replaceAll(new RegExp(`(?<![\\w.~/-])/(${roots})(?![\\w-])`, 'g'), (path) => `${base}${path}`);
}

/** Calls `fill` with an empty folder; returns its files with moved texts, as a tar in base64. */
function packed(task: EvalTask, base: string, fill: (folder: string) => void): string {
  const folder = mkdtempSync(join(tmpdir(), 'hamlet-eval-'));
  try {
    fill(folder);
    for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
      if (!entry.isFile()) continue;
      const file = join(entry.parentPath, entry.name);
      const bytes = readFileSync(file);
      if (!bytes.includes(0)) writeFileSync(file, movedText(task, base, bytes.toString('utf8')));
    }
    const args = ['--create', '--owner=0', '--group=0', '-C', folder, '.'];
    return execFileSync('tar', args, { maxBuffer: 256 << 20 }).toString('base64');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The files that the Dockerfile copies, which the agent finds. */
export const packedStart = (task: EvalTask, base: string): string =>
  packed(task, base, (folder) => {
    mkdirSync(join(folder, task.build.workdir), { recursive: true });
    for (const { from, to } of task.build.copies)
      for (const name of from) {
        const target = /[/.]$/.test(to) && !name.endsWith('/') && name !== '.' ? join(to, name) : to;
        cpSync(join(task.folder, 'environment', name), join(folder, target), { recursive: true });
      }
  });

/** The tests, which come after the work, or the reference solution. */
export const packedPart = (task: EvalTask, base: string, part: 'tests' | 'solution'): string =>
  packed(task, base, (folder) => cpSync(join(task.folder, part), join(folder, part), { recursive: true }));
