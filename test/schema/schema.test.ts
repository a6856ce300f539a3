/**
 * schemathesis compares the served OpenAPI with the running api in every role: no status of 500 or above, no status
 * that the document lacks, no body that violates its schema.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { agentToken, startTestVillage, type TestVillage, TOKENS } from '../../api/server/src/testing/test-village.ts';
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CACHE } from '../../local/village/paths.ts';
import { FULL_RUN } from '../env/seeded.ts';

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

interface SchemaRun {
  readonly url: string;
  readonly token: string | undefined;
  readonly phases: readonly ('examples' | 'coverage' | 'fuzzing' | 'stateful')[];
  /** Generated requests for each operation. */
  readonly examples: number;
  readonly seed: number;
}

interface SchemaReport {
  readonly exitCode: number;
  /** Number of requests that were sent. */
  readonly cases: number;
  /** The program's output: each failure with a request that reproduces it. */
  readonly output: string;
}

/** Compares a running api with the OpenAPI document that it serves, in one role. */
async function runSchemathesis({ url, token, phases, examples, seed }: SchemaRun): Promise<SchemaReport> {
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

/**
 * A few hundred requests in each role; a full run adds all boundary values and makes at least 20,000 requests in total.
 */
const EXTENT = FULL_RUN
  ? ({ phases: ['examples', 'coverage', 'fuzzing', 'stateful'], examples: 40 } as const)
  : ({ phases: ['examples', 'fuzzing'], examples: 1 } as const);
const LEAST_CASES = FULL_RUN ? 4_000 : 100;
const SEED = 20_261_122;

let village: TestVillage;
let url = '';

before(async () => {
  village = await startTestVillage();
  // With the agent's ten requests a minute, nearly all answers would be refusals.
  await village.liftRequestLimits();
  url = (await village.startReplica()).peopleUrl;
});
after(() => village.remove());

/** The admin comes last, because an admin bans agents and changes accounts. */
const ROLES = [
  ['visitor', undefined],
  ['operator', TOKENS.operator],
  ['agent', agentToken('ada')],
  ['member', TOKENS.member],
  ['admin', TOKENS.admin],
] as const;

for (const [role, token] of ROLES)
  test(`the api's answers to a ${role} match its OpenAPI document`, async () => {
    const { exitCode, cases, output } = await runSchemathesis({ url, token, ...EXTENT, seed: SEED });
    assert.equal(exitCode, 0, output);
    assert.ok(cases >= LEAST_CASES, `only ${cases} requests were made\n${output}`);
  });
