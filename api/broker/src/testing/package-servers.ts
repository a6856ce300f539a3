import { execFile, spawn, type ChildProcessByStdio } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';

const run = promisify(execFile);

/** Serves the repositories of a folder over smart HTTP, with git's own program. */
export function gitServer(folder: string): RequestListener {
  return (request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://x');
    const { authorization = '' } = request.headers;
    const env = {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_LENGTH: request.headers['content-length'],
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      ...(authorization === '' ? {} : { REMOTE_USER: authorization }),
    };
    const backend = spawn('git', ['http-backend'], { env, stdio: ['pipe', 'pipe', 'pipe'] });
    backend.stdin.on('error', () => undefined);
    request.pipe(backend.stdin);
    void answerOf(backend, response);
  };
}

/** Answers with the output of git, or with its words if it failed: git itself would answer 200 without content. */
async function answerOf(
  git: ChildProcessByStdio<Writable, Readable, Readable>,
  response: ServerResponse,
): Promise<void> {
  const [bytes, words, [code]] = await Promise.all([buffer(git.stdout), text(git.stderr), once(git, 'close')]);
  if (code !== 0) return void response.writeHead(500).end(words);
  const end = bytes.indexOf('\r\n\r\n');
  let status = 200;
  for (const line of bytes.toString('latin1', 0, end).split('\r\n')) {
    const [name = '', value = ''] = line.split(/: /, 2);
    if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
    else if (name !== '') response.setHeader(name, value);
  }
  response.writeHead(status).end(bytes.subarray(end + 4));
}

/** A server of fixed answers by path; a text is an index, bytes are a package. */
export function fileServer(files: ReadonlyMap<string, Buffer | string>, seen: string[]): RequestListener {
  return (request: IncomingMessage, response) => {
    seen.push(`${String(request.method)} ${String(request.url)}`);
    const file = files.get(decodeURIComponent(request.url ?? '/'));
    if (file === undefined) response.writeHead(404).end();
    else response.setHeader('content-type', typeOf(file)).end(file);
  };
}

function typeOf(file: Buffer | string): string {
  if (typeof file !== 'string') return 'application/octet-stream';
  return file.startsWith('{') ? 'application/json' : 'text/html';
}

const sha = (algorithm: string, bytes: Buffer): Buffer => createHash(algorithm).update(bytes).digest();

async function archive(folder: string, name: string, files: Record<string, string>): Promise<Buffer> {
  await mkdir(join(folder, name), { recursive: true });
  for (const [file, content] of Object.entries(files)) {
    await mkdir(join(folder, name, file, '..'), { recursive: true });
    await writeFile(join(folder, name, file), content);
  }
  const { stdout } = await run('tar', ['-C', folder, '-cf', '-', name], { encoding: 'buffer' });
  return gzipSync(stdout);
}

/** A Python index with one wheel, linked by a relative, an absolute or a full address. */
export async function pythonFiles(folder: string, link: string): Promise<Map<string, Buffer | string>> {
  const wheel = 'toy_wheel-1.0-py3-none-any.whl';
  const program = `
import zipfile, sys
z = zipfile.ZipFile(sys.argv[1], 'w')
z.writestr('toy_wheel.py', 'ANSWER = 42\\n')
z.writestr('toy_wheel-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: toy-wheel\\nVersion: 1.0\\n')
z.writestr('toy_wheel-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
z.writestr('toy_wheel-1.0.dist-info/RECORD', 'toy_wheel.py,,\\n')
z.close()`;
  await run('python3', ['-c', program, join(folder, wheel)]);
  const bytes = await readFile(join(folder, wheel));
  const page = `<html><a href="${link}${wheel}#sha256=${sha('sha256', bytes).toString('hex')}">${wheel}</a></html>`;
  return new Map<string, Buffer | string>([
    ['/simple/toy-wheel/', page],
    [`/packages/${wheel}`, bytes],
  ]);
}

export async function npmFiles(folder: string, origin: string): Promise<Map<string, Buffer | string>> {
  const manifest = { name: '@toys/top', version: '1.0.0', bin: { 'toy-top': 'index.js' } };
  const program = '#!/usr/bin/env node\nconsole.log("1.0.0");\n';
  const bytes = await archive(folder, 'package', { 'package.json': JSON.stringify(manifest), 'index.js': program });
  const integrity = `sha512-${sha('sha512', bytes).toString('base64')}`;
  const dist = { tarball: `${origin}/@toys/top/-/top-1.0.0.tgz`, integrity };
  const versions = { '1.0.0': { ...manifest, dist } };
  return new Map<string, Buffer | string>([
    ['/@toys/top', JSON.stringify({ name: '@toys/top', 'dist-tags': { latest: '1.0.0' }, versions })],
    ['/@toys/top/-/top-1.0.0.tgz', bytes],
  ]);
}

export async function crateFiles(folder: string, origin: string): Promise<Map<string, Buffer | string>> {
  const manifest = '[package]\nname = "toycrate"\nversion = "1.0.0"\nedition = "2021"\n';
  const bytes = await archive(folder, 'toycrate-1.0.0', { 'Cargo.toml': manifest, 'src/lib.rs': '' });
  const cksum = sha('sha256', bytes).toString('hex');
  const line = { name: 'toycrate', vers: '1.0.0', deps: [], cksum, features: {}, yanked: false };
  return new Map<string, Buffer | string>([
    ['/index/config.json', JSON.stringify({ dl: `${origin}/crates` })],
    ['/index/to/yc/toycrate', `${JSON.stringify(line)}\n`],
    ['/crates/toycrate/1.0.0/download', bytes],
  ]);
}

/** A proxy of Go modules with one module, whose archive Python writes. */
export async function goFiles(folder: string): Promise<Map<string, Buffer | string>> {
  const zip = join(folder, 'toy.zip');
  const program = `
import zipfile, sys
z = zipfile.ZipFile(sys.argv[1], 'w')
z.writestr('toys.home/top@v1.0.0/go.mod', 'module toys.home/top\\n')
z.writestr('toys.home/top@v1.0.0/top.go', 'package top\\n')
z.close()`;
  await run('python3', ['-c', program, zip]);
  return new Map<string, Buffer | string>([
    ['/toys.home/top/@v/list', 'v1.0.0\n'],
    ['/toys.home/top/@v/v1.0.0.info', '{"Version":"v1.0.0"}'],
    ['/toys.home/top/@v/v1.0.0.mod', 'module toys.home/top\n'],
    ['/toys.home/top/@v/v1.0.0.zip', await readFile(zip)],
  ]);
}

/** A flat Debian archive with one package. */
export function debianFiles(): Map<string, Buffer | string> {
  const deb = Buffer.from('a package');
  const hash = sha('sha256', deb).toString('hex');
  const entry = `Package: toy\nVersion: 1.0\nArchitecture: all\nMaintainer: x\nFilename: stable/toy_1.0_all.deb\nSize: ${String(deb.length)}\nSHA256: ${hash}\nDescription: x\n`;
  return new Map<string, Buffer | string>([
    ['/debian/stable/Packages', Buffer.from(entry)],
    ['/debian/stable/toy_1.0_all.deb', deb],
  ]);
}
