/** A preset whose program is the toy package of the test registries. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AcpLaunch, Preset, PreparePorts } from '../../agent-image/resident/src/acp/preset.ts';
import { asidePrograms } from '../../agent-image/resident/src/acp/presets/aside-programs.ts';
import { prepareWith } from '../../agent-image/resident/src/acp/presets/prepare-preset.ts';
import { handsPrograms } from '../../agent-image/resident/src/hands/hands-programs.ts';
import type { EnvironmentOf } from '../../agent-image/resident/src/hands/start-process.ts';

/** Runs the programs of an installation under an id of their own. */
export function asideIn(programs: Parameters<typeof asidePrograms>[0], signal: AbortSignal): PreparePorts['run'] {
  const id = randomUUID();
  return asidePrograms(programs, { id, owner: id, cwd: '/', signal });
}

export const DOOR = 'http://127.0.0.1:9/v1';

const TOY: Preset = {
  name: 'Toy',
  version: '1.0.0',
  licence: 'MIT',
  // The toy has less than a tenth of this, so that even a slow machine reports no progress.
  megabytes: 1_000,
  install: { lock: 'toy', rebuild: [] },
  command: ['toy-top', '--model={model}'],
  env: { TOY_HOME: '{state}' },
  files: [{ path: '{state}/toy.json', text: '{"url":"{door}","context":{context}}' }],
  mode: 'ask',
};

export interface ToyPlace {
  readonly socket: string;
  readonly folder: string;
  readonly environmentOf: EnvironmentOf;
}

export interface Preparing {
  readonly said?: string[];
  readonly signal?: AbortSignal;
  readonly version?: string;
}

/** Writes package.json and lock file for the toy with this hash, and returns what prepares it in the hands. */
export function toyPreset({ socket, folder, environmentOf }: ToyPlace, integrity: string) {
  const locks = join(folder, `locks-${randomUUID()}`);
  const dependencies = { '@toys/top': '1.0.0' };
  const packages = {
    '': { dependencies },
    'node_modules/@toys/top': { version: '1.0.0', integrity, bin: { 'toy-top': 'index.js' } },
  };
  mkdirSync(join(locks, 'toy'), { recursive: true });
  writeFileSync(join(locks, 'toy/package.json'), JSON.stringify({ dependencies }, null, 2));
  writeFileSync(join(locks, 'toy/package-lock.json'), JSON.stringify({ lockfileVersion: 3, requires: true, packages }));
  const programs = handsPrograms(socket, {
    environmentOf: (place) => ({ ...environmentOf(place), OPENAI_BASE_URL: DOOR }),
    trees: null,
    workspace: '/',
    ended: () => undefined,
  });
  const prepare = prepareWith(locks);
  return ({
    said = [],
    signal = new AbortController().signal,
    version = TOY.version,
  }: Preparing = {}): Promise<AcpLaunch> =>
    prepare(
      { ...TOY, version },
      {
        run: asideIn(programs, signal),
        progress: ({ title }) => void said.push(title),
        home: join(folder, 'home'),
        values: { model: 'small', context: '' },
        signal,
      },
    );
}
