import assert from 'node:assert/strict';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { readBuild } from './build-steps.ts';
import { movedText } from './task-folder.ts';
import { readToml } from './read-toml.ts';
import { readTasks } from './task.ts';

const whyOf = (dockerfile: string): string | null => {
  const read = readBuild(dockerfile);
  return 'why' in read ? read.why : null;
};

test('a Dockerfile that only copies and prepares files becomes a folder', () => {
  const read = readBuild(
    '# for the shop\nFROM ubuntu:24.04\nWORKDIR /app\nCOPY shop.py notes/ /data/\nCOPY . .\nRUN git init \\\n  && git add .\nCMD ["sh"]\n',
  );
  assert.deepEqual(read, {
    build: {
      workdir: '/app',
      copies: [
        ['shop.py', '/data/'],
        ['notes/', '/data/'],
        ['.', '/app/'],
      ],
      runs: ['git init    && git add .'],
      roots: ['/app', '/data', '/tests', '/logs', '/solution'],
    },
  });
});

test('lines that install what the hands have are left out', () => {
  const read = readBuild(
    'FROM ubuntu:24.04\nENV DEBIAN_FRONTEND=noninteractive\nRUN apt-get update && apt-get install -y --no-install-recommends \\\n  git \\\n  python3 \\\n  && rm -rf /var/lib/apt/lists/*\nWORKDIR /app\nRUN mkdir out\n',
  );
  assert.deepEqual('build' in read && read.build.runs, ['mkdir out']);
});

test('a Dockerfile that needs an image is refused with the line', () => {
  const after = (line: string): string | null => whyOf(`FROM python:3.13\nWORKDIR /app\n${line}\n`);
  assert.match(whyOf('FROM ghcr.io/shop/tool:1\n') ?? '', /image of its own: FROM ghcr\.io\/shop\/tool:1/);
  assert.match(after('RUN apt-get update \\\n && apt-get install -y cmake') ?? '', /RUN apt-get update/);
  assert.match(after('RUN apt-get update && apt-get install -y git cmake') ?? '', /cmake/);
  assert.match(after('RUN apt-get install -y git && make') ?? '', /make/);
  assert.match(after('ENV SHOP=alder') ?? '', /ENV SHOP/);
  assert.match(after('RUN pip install numpy') ?? '', /RUN pip/);
  assert.match(after('RUN git clone https://example.org/a.git') ?? '', /RUN git clone/);
  assert.match(after('RUN ["make"]') ?? '', /RUN/);
  assert.match(after('COPY --from=build /a /b') ?? '', /COPY/);
  assert.match(after('COPY a /etc/a') ?? '', /it uses .*\/etc/);
  assert.match(after('USER shop') ?? '', /USER shop/);
  assert.match(after('WORKDIR /other') ?? '', /\/other/);
  assert.equal(after('RUN make all'), null);
});

test('paths below the roots of a task move, and no others', () => {
  const read = readBuild('FROM ubuntu:24.04\nWORKDIR /app\n');
  assert.ok('build' in read);
  const moved = (text: string): string => movedText(read, '/w/x', text);
  assert.equal(
    moved('cd /app && cat "/app/a" /logs/b >/tests/c:/app'),
    'cd /w/x/app && cat "/w/x/app/a" /w/x/logs/b >/w/x/tests/c:/w/x/app',
  );
  const kept = '/apps /app-old ~/app ./app my/app http://example.org/app /usr/app';
  assert.equal(moved(kept), kept);
});

test('the reader of TOML reads values in lines, and leaves out other forms', () => {
  const text =
    'version = "1.0"\n[agent]\ntimeout_sec = 60.0 # one minute\nname = "a # b"\nflags = ["x", "y"]\nday = 2026-01-01\n\n[hamlet.deep]\non = true\n';
  assert.deepEqual(readToml(text), {
    agent: { timeout_sec: 60, name: 'a # b', flags: ['x', 'y'], day: undefined },
    'hamlet.deep': { on: true },
  });
});

test('a folder gives its tasks, filtered by parts of their names, and a reason for each task that cannot run', () => {
  const folder = testFolder('eval-folder');
  const own = join(import.meta.dirname, 'tasks/memory-house-style');
  for (const name of ['fits', 'other-fits', 'wrong-settings', 'needs-image', 'no-task'])
    cpSync(own, join(folder, name), { recursive: true });
  mkdirSync(join(folder, 'wrong'));
  writeFileSync(join(folder, 'wrong-settings/task.toml'), '[agent]\ntimeout_sec = "long"\n');
  writeFileSync(join(folder, 'needs-image/environment/Dockerfile'), 'FROM shop/own:1\n');
  writeFileSync(join(folder, 'no-task/task.toml'), '[hamlet]\ndeny_if = "("\n');
  const { tasks, unfit } = readTasks(folder);
  assert.deepEqual(
    tasks.map(({ name }) => name),
    ['fits', 'other-fits'],
  );
  assert.deepEqual(
    unfit.map(({ name }) => name),
    ['needs-image', 'no-task', 'wrong', 'wrong-settings'],
  );
  assert.match(unfit.find(({ name }) => name === 'wrong-settings')?.why ?? '', /timeout_sec/);
  assert.deepEqual(
    readTasks(folder, ['other']).tasks.map(({ name }) => name),
    ['other-fits'],
  );
});
