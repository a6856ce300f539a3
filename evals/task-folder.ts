/** The folder of an attempt in the hands: the files of a task, moved there from the root of an image. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { mustRun, type Hands } from './hands.ts';
import type { EvalTask } from './task.ts';

export interface TaskFolder {
  readonly hands: Hands;
  readonly task: EvalTask;
  /** The path of the folder in the hands. */
  readonly base: string;
}

/** The text in which each path below a root of the task points below the folder `base`. Pure. */
export function movedText({ build }: Pick<EvalTask, 'build'>, base: string, text: string): string {
  const roots = build.roots.map((root) => root.slice(1)).join('|');
  return text.replaceAll(new RegExp(`(?<![\\w.~/-])/(${roots})(?![\\w-])`, 'g'), (path) => `${base}${path}`);
}

/** Puts the files that `fill` writes into an empty folder below `base`, with moved texts. */
async function put({ hands, task, base }: TaskFolder, fill: (folder: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hamlet-eval-'));
  try {
    fill(folder);
    for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
      const file = join(entry.parentPath, entry.name);
      const bytes = entry.isFile() ? readFileSync(file) : Buffer.alloc(1);
      if (!bytes.includes(0)) writeFileSync(file, movedText(task, base, bytes.toString('utf8')));
    }
    const args = ['--create', '--owner=0', '--group=0', '-C', folder, '.'];
    const tar = execFileSync('tar', args, { maxBuffer: 256 << 20 }).toString('base64');
    await mustRun(hands, `mkdir -p '${base}' && base64 -d | tar -x -C '${base}'`, tar);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Fills an empty folder with the files that the agent finds: the files that the Dockerfile copies, and what its
 * commands make.
 */
export async function layOut(place: TaskFolder): Promise<void> {
  const { hands, task, base } = place;
  const { workdir, copies, runs } = task.build;
  await mustRun(hands, `rm -rf '${base}'`);
  await put(place, (folder) => {
    mkdirSync(join(folder, workdir), { recursive: true });
    for (const [name, to] of copies) {
      const from = join(task.folder, 'environment', name);
      const isInto = to.endsWith('/') && statSync(from).isFile();
      cpSync(from, join(folder, to, isInto ? basename(name) : ''), { recursive: true });
    }
  });
  for (const command of runs) await mustRun(hands, `cd '${base}${workdir}' && ${movedText(task, base, command)}`);
}

/** Copies the tests, after the work of the agent, or the reference solution into the folder. */
export const putPart = (place: TaskFolder, part: 'tests' | 'solution'): Promise<void> =>
  put(place, (folder) => cpSync(join(place.task.folder, part), join(folder, part), { recursive: true }));

/**
 * The reward that the tests write (NaN if none), and their last two lines with words: Python names a failed assertion in the line
 * before its error.
 */
export async function judge(place: TaskFolder): Promise<{ reward: number; said: string }> {
  const { hands, task, base } = place;
  await putPart(place, 'tests');
  const logs = `${base}/logs/verifier`;
  const script = `mkdir -p '${logs}' && cd '${base}${task.build.workdir}' && bash '${base}/tests/test.sh'`;
  const { output } = await hands(script, { limitS: task.verifierS });
  const { stdout } = await hands(`cat '${logs}/reward.txt' && tail -c 2000 '${logs}/output.txt'`);
  const [reward = '', ...lines] = stdout.trim().split('\n');
  const words = (lines.length > 0 ? lines : output.split('\n')).filter((line) => /\w/.test(line));
  const said = words.slice(-2).map((line) => line.trim().replaceAll(base, ''));
  return { reward: reward === '' ? Number.NaN : Number(reward), said: said.join(' · ') };
}
