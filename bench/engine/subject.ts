/** The work that every measured program can do. Each runs in a separate process, which its parent commands over IPC. */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

/** Stages one after another, each of which gets the text of the previous one; or all side by side. */
export type Shape = 'sequence' | 'parallel';

export interface Subject {
  /** One run of an agent: the model asks for the tool `calls` times, then answers. Returns the answer. */
  run?: (calls: number) => Promise<string>;
  /**
   * One durable run. Each step returns the next text, which must be stored before the next step begins. `mark` is called
   * in each step.
   */
  steps?: (texts: readonly string[], mark: () => void) => Promise<void>;
  /**
   * One task of a workflow with a stage for each text, which the stage returns. Gives the last text of a sequence, or the texts of
   * all parallel stages in their order. A durable program has stored the text of each stage before a stage after it begins.
   */
  task?: (shape: Shape, texts: readonly string[]) => Promise<readonly string[]>;
  /** Reads and validates a workflow with this many nodes. */
  validate?: (nodes: number) => Promise<void>;
  /** Bytes on disk. */
  stored?: () => Promise<number>;
  end?: () => Promise<void>;
}

export type Order =
  | { readonly type: 'runs'; readonly count: number; readonly calls: number }
  | { readonly type: 'steps'; readonly count: number; readonly textBytes: number }
  | {
      readonly type: 'tasks';
      readonly shape: Shape;
      readonly stages: number;
      readonly textBytes: number;
      readonly count: number;
      /** True if all tasks are under way at once. */
      readonly isAtOnce: boolean;
    }
  | { readonly type: 'validate'; readonly nodes: number }
  | { readonly type: 'stored' }
  | { readonly type: 'collect' }
  | { readonly type: 'end' };

/** `ms`: the time of each run or task, of all tasks that run at once, or between two steps. `bytes`: on disk, or of the heap after a collection. */
export type Report =
  | { readonly type: 'ready' }
  | { readonly type: 'done'; readonly ms: readonly number[]; readonly cpuMs: number; readonly bytes: number }
  | { readonly type: 'failed'; readonly message: string };

/** Times of runs are reported only up to this count: a test of memory must not keep more. */
const TIMES_MAX = 10_000;
const COLLECTIONS = 5;

/** The answer of the scripted model. It shows that all results arrived. */
export const answerAfter = (results: number): string => `Done after ${results} results.`;

async function runs({ run }: Subject, { count, calls }: Extract<Order, { type: 'runs' }>): Promise<readonly number[]> {
  if (run === undefined) throw new Error('this subject has no runs');
  const ms: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const started = performance.now();
    const answer = await run(calls);
    if (ms.length < TIMES_MAX) ms.push(performance.now() - started);
    if (answer !== answerAfter(calls)) throw new Error(`the run answered ${JSON.stringify(answer)}`);
  }
  return ms;
}

/** Texts that no database can compress to less than three quarters. */
const textsOf = (count: number, bytes: number): readonly string[] =>
  Array.from({ length: count }, () =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(Math.ceil(bytes * 0.75))))
      .toString('base64')
      .slice(0, bytes),
  );

async function steps(
  { steps: work }: Subject,
  { count, textBytes }: Extract<Order, { type: 'steps' }>,
): Promise<readonly number[]> {
  if (work === undefined) throw new Error('this subject has no steps');
  const marks: number[] = [];
  await work(textsOf(count, textBytes), () => marks.push(performance.now()));
  if (marks.length !== count) throw new Error(`the run made ${marks.length} of ${count} steps`);
  return marks.slice(1).map((at, index) => at - (marks[index] ?? at));
}

async function tasks(
  { task: work }: Subject,
  { shape, stages, textBytes, count, isAtOnce }: Extract<Order, { type: 'tasks' }>,
): Promise<readonly number[]> {
  if (work === undefined) throw new Error('this subject has no tasks');
  const given = Array.from({ length: count }, () => textsOf(stages, textBytes));
  const make = async (texts: readonly string[]): Promise<number> => {
    const started = performance.now();
    const made = await work(shape, texts);
    const ms = performance.now() - started;
    const wanted = shape === 'sequence' ? texts.slice(-1) : texts;
    if (!isDeepStrictEqual(made, wanted)) throw new Error(`a ${shape} of ${stages} stages gave other texts`);
    return ms;
  };
  if (isAtOnce) return [Math.max(...(await Promise.all(given.map(make))))];
  const ms: number[] = [];
  for (const texts of given) ms.push(await make(texts));
  return ms;
}

async function validate({ validate: work }: Subject, nodes: number): Promise<readonly number[]> {
  if (work === undefined) throw new Error('this subject validates nothing');
  const started = performance.now();
  await work(nodes);
  return [performance.now() - started];
}

/** Collects garbage until nothing more is freed; returns the bytes that are left. */
async function collect(): Promise<number> {
  for (let count = 0; count < COLLECTIONS; count += 1) {
    globalThis.gc?.();
    await sleep(100);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function obey(subject: Subject, order: Order): Promise<Report> {
  const before = process.cpuUsage();
  const [ms, bytes] = await work(subject, order);
  const { user, system } = process.cpuUsage(before);
  return { type: 'done', ms, bytes, cpuMs: (user + system) / 1_000 };
}

async function work(subject: Subject, order: Order): Promise<readonly [ms: readonly number[], bytes: number]> {
  switch (order.type) {
    case 'runs':
      return [await runs(subject, order), 0];
    case 'steps':
      return [await steps(subject, order), 0];
    case 'tasks':
      return [await tasks(subject, order), 0];
    case 'validate':
      return [await validate(subject, order.nodes), 0];
    case 'stored':
      return [[], (await subject.stored?.()) ?? 0];
    case 'collect':
      return [[], await collect()];
    default:
      await subject.end?.();
      return [[], 0];
  }
}

/** Carries out the parent's commands until it sends `end`. */
export function serve(subject: Subject): void {
  const emit = (report: Report): void => {
    process.send?.(report);
  };
  process.on('message', (order: Order) => {
    obey(subject, order).then(
      (report) => {
        emit(report);
        if (order.type === 'end') process.exit();
      },
      (error: unknown) =>
        emit({ type: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  emit({ type: 'ready' });
}
