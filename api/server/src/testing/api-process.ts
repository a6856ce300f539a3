import { resolve } from 'node:path';
import { freePort, startLocal } from '@hamlet/dev';
import type { TestVillage } from './test-village.ts';

export const API_MAIN = resolve(import.meta.dirname, '../main.ts');

/** An API in a separate process, which tests can kill. */
export interface ApiProcess {
  readonly url: string;
  readonly metricsUrl: string;
  readonly pid: number;
  stop(signal: NodeJS.Signals): Promise<void>;
}

/** Migrates, and starts the API's main program, or another command that runs an API, for a test village. */
export async function startApiProcess(
  village: TestVillage,
  changes: Readonly<Record<string, string>> = {},
  command: readonly [string, ...string[]] = [process.execPath, API_MAIN],
): Promise<ApiProcess> {
  const [file, ...args] = command;
  const [port, metricsPort] = await Promise.all([freePort(), freePort()]);
  const url = `http://127.0.0.1:${port}`;
  await village.migrate();
  const local = await startLocal({
    file,
    args,
    options: {
      env: {
        ...process.env,
        ...village.environment,
        HAMLET_PEOPLE_LISTEN: `127.0.0.1:${port}`,
        HAMLET_METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
        ...changes,
      },
    },
    ready: () =>
      fetch(`${url}/livez`).then(
        (response) => response.ok,
        () => false,
      ),
    onOutput: (text) => void village.logs.push(text),
  });
  return { url, metricsUrl: `http://127.0.0.1:${metricsPort}`, pid: local.pid, stop: (signal) => local.stop(signal) };
}
