import { fork, type ChildProcess } from 'node:child_process';
import { peakRssMbOf, rssMbOf } from '../programs.ts';
import type { Order, Report } from './subject.ts';

const LIMIT_MS = 1_800_000;

type Done = Extract<Report, { type: 'done' }>;

export interface Program {
  readonly file: string;
  readonly flags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** A measured program in a separate process. */
export class SubjectProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start({ file, flags, environment }: Program): Promise<SubjectProcess> {
    const child = fork(file, {
      execArgv: [...flags],
      env: { PATH: process.env['PATH'] ?? '', ...environment },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const kill = (): void => void child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('exit', () => process.off('exit', kill));
    const subject = new SubjectProcess(child);
    await subject.#next();
    return subject;
  }

  /** Resident memory now, in MiB. */
  rssMb(): number {
    return rssMbOf(this.#child);
  }

  /** The largest resident memory so far, in MiB. */
  peakRssMb(): number {
    return peakRssMbOf(this.#child);
  }

  async obey(order: Order): Promise<Done> {
    const report = this.#next();
    this.#child.send(order);
    const done = await report;
    if (done.type !== 'done') throw new Error('the subject reported ready twice');
    return done;
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = new Promise((resolve) => {
      this.#child.once('exit', resolve);
    });
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 10_000);
    this.#child.send({ type: 'end' });
    await exited;
    clearTimeout(timer);
  }

  #next(): Promise<Exclude<Report, { type: 'failed' }>> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`no report within ${LIMIT_MS} ms`)), LIMIT_MS);
      const ended = (code: number | null): void => {
        clearTimeout(late);
        reject(new Error(`the subject ended with code ${code}`));
      };
      this.#child.once('exit', ended);
      this.#child.once('message', (report: Report) => {
        clearTimeout(late);
        this.#child.off('exit', ended);
        if (report.type === 'failed') reject(new Error(report.message));
        else resolve(report);
      });
    });
  }
}
