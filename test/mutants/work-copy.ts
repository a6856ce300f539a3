/** A copy of the work tree for the changes; the work tree itself stays unchanged. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { NODE, ROOT } from '../../local/village/paths.ts';

const LISTED_BYTES = 64 << 20;
/** Time for a run of tests to end its child processes. */
const GRACE_MS = 5_000;

/** The result of a run of tests. */
export type Verdict = 'passed' | 'failed' | 'timed out';

/** Removes the copies of runs that were killed; the name of a copy has the id of its process. */
export function removeStaleCopies(parent = tmpdir()): void {
  for (const name of readdirSync(parent)) {
    const [, pid] = /^hamlet-mutants-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

/** A folder with every tracked or new file, and the installed npm packages. */
export class WorkCopy {
  readonly folder = mkdtempSync(join(tmpdir(), `hamlet-mutants-${process.pid}-`));

  constructor() {
    removeStaleCopies();
    const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: LISTED_BYTES,
    });
    for (const file of listed.split('\0').filter((name) => name !== '' && existsSync(join(ROOT, name))))
      // Without `recursive`, Node refuses to copy a link to a folder, even as a link.
      cpSync(join(ROOT, file), join(this.folder, file), { verbatimSymlinks: true, recursive: true });
    const [installed, linked] = [join(ROOT, 'node_modules'), join(this.folder, 'node_modules')];
    mkdirSync(linked);
    for (const name of readdirSync(installed)) {
      const isOurs = name === '@hamlet' || name === 'hamlet-verify';
      // A workspace is a relative link, which leads into the copy.
      if (isOurs) execFileSync('cp', ['-a', join(installed, name), join(linked, name)]);
      else symlinkSync(join(installed, name), join(linked, name));
    }
    // A workspace may need a different version of a package than the others.
    for (const manifest of listed.split('\0').filter((name) => name.endsWith('/package.json'))) {
      const own = join(dirname(manifest), 'node_modules');
      if (existsSync(join(ROOT, own))) symlinkSync(join(ROOT, own), join(this.folder, own));
    }
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }

  /** Runs a test file until its first failure; ends it with its child processes at the timeout. */
  async test(file: string, capMs: number, env: NodeJS.ProcessEnv = {}): Promise<Verdict> {
    const child = spawn(NODE, ['--test-reporter=dot', file], {
      cwd: this.folder,
      detached: true,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let verdict: Verdict | undefined;
    const end = (found: Verdict): void => {
      verdict ??= found;
      signal(child, 'SIGTERM');
      // A process in an endless loop does not run its handlers.
      setTimeout(() => signal(child, 'SIGKILL'), GRACE_MS).unref();
    };
    const timer = setTimeout(() => end('timed out'), capMs);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (/^[.\n]*X/.test(text)) end('failed');
    });
    const code = await new Promise<number>((resolve, reject) =>
      child.on('error', reject).on('close', (exit) => resolve(exit ?? 1)),
    );
    clearTimeout(timer);
    return verdict ?? (code === 0 ? 'passed' : 'failed');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function signal(child: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, name);
}
