import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CACHE } from '../../local/village/paths.ts';

const execute = promisify(execFile);
const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const OUTPUT_BYTES = 64 << 20;

/**
 * The checks of an answer. The validity of requests is not checked here: the API's own schemas decide it, and tests
 * beside the routes cover it.
 */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

/**
 * The program, in a virtual environment of the cache that all checkouts share. If missing, it is created from
 * requirements.txt, which pins all versions. A lock makes concurrent calls wait for each other.
 */
async function program(): Promise<string> {
  const version = createHash('sha256')
    .update(await readFile(REQUIREMENTS))
    .digest('hex')
    .slice(0, 16);
  const folder = join(CACHE, 'tools', `schemathesis-${version}`);
  const done = join(folder, 'done');
  const file = join(folder, 'bin', 'schemathesis');
  if (existsSync(done)) return file;
  await mkdir(join(CACHE, 'tools'), { recursive: true });
  const install = `test -e "$1/done" || { rm -rf "$1" && python3 -m venv "$1" && "$1/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement "$2" && touch "$1/done"; }`;
  await execute('flock', [`${folder}.lock`, 'bash', '-c', install, 'install', folder, REQUIREMENTS], {
    maxBuffer: OUTPUT_BYTES,
  });
  return file;
}

export interface SchemaRun {
  readonly url: string;
  readonly token: string | undefined;
  readonly phases: readonly ('examples' | 'coverage' | 'fuzzing' | 'stateful')[];
  /** Generated requests for each operation. */
  readonly examples: number;
  readonly seed: number;
}

export interface SchemaReport {
  readonly exitCode: number;
  /** Number of requests that were sent. */
  readonly cases: number;
  /** The program's output: each failure with a request that reproduces it. */
  readonly output: string;
}

/** Compares a running api with the OpenAPI document that it serves, in one role. */
export async function runSchemathesis({ url, token, phases, examples, seed }: SchemaRun): Promise<SchemaReport> {
  const file = await program();
  const folder = await mkdtemp(join(tmpdir(), 'hamlet-schemathesis-'));
  const args = [
    'run',
    `${url}/api/v1/openapi.json`,
    '--url',
    url,
    '--checks',
    CHECKS.join(','),
    '--phases',
    phases.join(','),
    '--max-examples',
    String(examples),
    '--seed',
    String(seed),
    // A path without the prefix is the same route; a stream does not end.
    '--exclude-operation-id-regex',
    '(Bare|openWakes|openInternalStream)$',
    '--continue-on-failure',
    '--no-shrink',
    '--suppress-health-check',
    'all',
    '--warnings',
    'off',
    '--request-timeout',
    '120',
    '--no-color',
    ...(token === undefined ? [] : ['--header', `Authorization: Bearer ${token}`]),
  ];
  try {
    return await collect(file, args, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function collect(file: string, args: readonly string[], cwd: string): Promise<SchemaReport> {
  const child = spawn(file, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const exitCode = await new Promise<number>((resolve, reject) =>
    child.on('error', reject).on('close', (code) => resolve(code ?? 1)),
  );
  const output = Buffer.concat(chunks).toString();
  return { exitCode, cases: Number(/(\d+) generated/.exec(output)?.[1] ?? 0), output };
}
