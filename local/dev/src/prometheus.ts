import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { freePort, startLocal, type LocalProcess } from './local-process.ts';

/** A target of a Prometheus: the address of its metrics and the labels that a cluster's discovery would give it. */
export interface Target {
  readonly url: string;
  readonly labels: Readonly<Record<string, string>>;
}

const Series = z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) });
export type Series = z.infer<typeof Series>;

export interface LocalPrometheus {
  /** The series of a query at this moment. Throws if Prometheus refuses the query. */
  query(expression: string): Promise<readonly Series[]>;
  /** The JSON of a path of its API, below `/api/v1`. */
  read(path: string): Promise<unknown>;
  stop(): Promise<void>;
}

const EVERY = '1s';
const Answer = z.object({ status: z.literal('success'), data: z.unknown() });

const scrapeOf = ({ url, labels }: Target, index: number): object => ({
  job_name: `target-${index}`,
  metrics_path: new URL(url).pathname,
  static_configs: [{ targets: [new URL(url).host], labels }],
});

/** Starts Debian's Prometheus, which scrapes the targets every second into `folder` and evaluates the rule files as often. */
export async function startPrometheus(
  folder: string,
  targets: readonly Target[],
  ruleFiles: readonly string[] = [],
): Promise<LocalPrometheus> {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  // Prometheus reads YAML, and JSON is YAML.
  const config = {
    global: { scrape_interval: EVERY, scrape_timeout: EVERY, evaluation_interval: EVERY },
    rule_files: ruleFiles,
    scrape_configs: targets.map(scrapeOf),
  };
  const file = join(folder, 'prometheus.yml');
  await writeFile(file, JSON.stringify(config));
  const server: LocalProcess = await startLocal({
    file: process.env['HAMLET_PROMETHEUS'] ?? '/usr/bin/prometheus',
    args: [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    ready: () =>
      fetch(`${base}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
  });
  const read = async (path: string): Promise<unknown> => {
    const response = await fetch(`${base}/api/v1${path}`);
    const body: unknown = await response.json();
    if (!response.ok) throw new Error(`prometheus refuses ${path}: ${JSON.stringify(body)}`);
    return Answer.parse(body).data;
  };
  return {
    read,
    query: async (expression) =>
      z.object({ result: z.array(Series) }).parse(await read(`/query?query=${encodeURIComponent(expression)}`)).result,
    stop: () => server.stop(),
  };
}
