/** Runs a package's tests on one change after another, and stores every verdict. */
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSources } from '../../local/village/images/context.ts';
import { Failure } from '../../local/village/failure.ts';
import { ROOT, stateFile } from '../../local/village/paths.ts';
import { coverageIn } from './coverage.ts';
import { mutated, mutationsOf, type Mutation } from './mutations.ts';
import { nearestFirst, type TriedPackage } from './packages.ts';
import type { Verdict, WorkCopy } from './work-copy.ts';

/** A test that takes this many times its duration without a change counts as an endless loop. */
const SLOWER = 4;
const SLOWER_MS = 20_000;
/** Longest run of a test file without a change. */
const BASELINE_MS = 600_000;

export interface Change extends Mutation {
  readonly file: string;
}

/** The run of a test file without a change. */
interface Baseline {
  readonly ms: number;
  /** Places of the sources that it executes, as {@link placeOf} names them. */
  readonly places: readonly string[];
}

/** Verdicts of earlier runs; the name of a test file includes a hash of its text. */
interface Memory {
  readonly baselines: Record<string, Baseline>;
  readonly verdicts: Record<string, Verdict>;
}

const placeOf = (file: string, at: number): string => `${file}:${at}`;

/** Every possible change of the sources. */
export function changesOf(sources: readonly string[]): readonly Change[] {
  return sources.flatMap((file) =>
    mutationsOf(readFileSync(join(ROOT, file), 'utf8')).map((mutation) => ({ file, ...mutation })),
  );
}

/** The trials of one package in one copy of the work tree. */
export class Trials {
  readonly #copy: WorkCopy;
  readonly #package: TriedPackage;
  readonly #memoryFile: string;
  readonly #memory: Memory;
  readonly #names = new Map<string, string>();
  readonly #baselines = new Map<string, { readonly ms: number; readonly places: ReadonlySet<string> }>();

  constructor(copy: WorkCopy, tried: TriedPackage) {
    this.#copy = copy;
    this.#package = tried;
    const ground = [...tried.sources, ...tried.support].map((file) => ({ from: file, to: file, whole: true }));
    this.#memoryFile = stateFile('mutants', `${hashSources(ground, [])}.json`);
    this.#memory = existsSync(this.#memoryFile)
      ? (JSON.parse(readFileSync(this.#memoryFile, 'utf8')) as Memory)
      : { baselines: {}, verdicts: {} };
    for (const test of tried.tests)
      this.#names.set(test, `${test}@${createHash('sha256').update(copy.read(test)).digest('hex').slice(0, 16)}`);
  }

  /** Runs every test file without a change, and stores the places that it executes. Fails if a test fails. */
  async prepare(): Promise<void> {
    const changes = changesOf(this.#package.sources);
    for (const test of this.#package.tests) {
      const name = this.#names.get(test) ?? test;
      const baseline = (this.#memory.baselines[name] ??= await this.#baselineOf(test, changes));
      this.#baselines.set(test, { ms: baseline.ms, places: new Set(baseline.places) });
      this.#keep();
    }
  }

  async #baselineOf(test: string, changes: readonly Change[]): Promise<Baseline> {
    const reports = mkdtempSync(join(tmpdir(), 'hamlet-coverage-'));
    try {
      const started = performance.now();
      if ((await this.#copy.test(test, BASELINE_MS, { NODE_V8_COVERAGE: reports })) !== 'passed')
        throw new Failure(`${test} fails without a change`, `node_modules/.bin/node --test ${test}`);
      const isRun = coverageIn(reports, this.#copy.folder);
      // The blank before an operator is executed whenever the operator is.
      const places = changes
        .filter(({ file, at }) => isRun(file, Math.max(0, at - 1)))
        .map(({ file, at }) => placeOf(file, at));
      return { ms: Math.round(performance.now() - started), places: [...new Set(places)] };
    } finally {
      rmSync(reports, { recursive: true, force: true });
    }
  }

  /** The test files that execute a change; the one that is most likely to notice it comes first. */
  reaching({ file, at }: Change): readonly string[] {
    const reached = this.#package.tests.filter((test) => this.#baselines.get(test)?.places.has(placeOf(file, at)));
    return nearestFirst(reached, file);
  }

  /** The first test file that fails with the change; undefined when none does. */
  async noticedBy(change: Change): Promise<string | undefined> {
    const text = this.#copy.read(change.file);
    this.#copy.write(change.file, mutated(text, change));
    try {
      for (const test of this.reaching(change)) {
        if ((await this.#verdictOf(test, change)) !== 'passed') return test;
      }
      return undefined;
    } finally {
      this.#copy.write(change.file, text);
    }
  }

  async #verdictOf(test: string, { file, at, from, to }: Change): Promise<Verdict> {
    const name = `${placeOf(file, at)} ${from} ${to} ${this.#names.get(test) ?? test}`;
    const capMs = (this.#baselines.get(test)?.ms ?? 0) * SLOWER + SLOWER_MS;
    const verdict = (this.#memory.verdicts[name] ??= await this.#copy.test(test, capMs));
    this.#keep();
    return verdict;
  }

  #keep(): void {
    writeFileSync(this.#memoryFile, JSON.stringify(this.#memory, null, 1));
  }
}
