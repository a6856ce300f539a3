import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** One script of pgbench with its options. */
export interface PgbenchRun {
  readonly script: readonly [folder: string, file: string];
  readonly clients: number;
  readonly seconds: number;
  readonly variables?: Readonly<Record<string, number>>;
}

/** Statements a second, without the time to connect. Throws if a statement failed. */
export async function pgbench(url: URL, { script, clients, seconds, variables = {} }: PgbenchRun): Promise<number> {
  const defines = Object.entries(variables).flatMap(([name, value]) => ['-D', `${name}=${value}`]);
  const { stdout } = await run(
    'pgbench',
    [
      '-n',
      '-M',
      'prepared',
      '-h',
      url.hostname,
      '-p',
      url.port,
      '-U',
      url.username,
      '-c',
      String(clients),
      '-j',
      String(Math.min(2, clients)),
      '-T',
      String(seconds),
      ...defines,
      '-f',
      join(...script),
      url.pathname.slice(1),
    ],
    { env: { ...process.env, PGPASSWORD: url.password } },
  );
  const [, tps] = /^tps = ([0-9.]+)/m.exec(stdout) ?? [];
  if (tps === undefined || !/number of failed transactions: 0 /.test(stdout)) throw new Error(`pgbench: ${stdout}`);
  return Number(tps);
}
