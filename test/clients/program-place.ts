/** Real hands in which the presets of the runtime `acp` are installed and work, with a proxy that refuses all hosts. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { PRESETS } from '../../agent-image/resident/src/acp/presets/programs.ts';
import type { AcpLaunch, Preset } from '../../agent-image/resident/src/acp/preset.ts';
import type { HandsProcessPorts } from '../../agent-image/resident/src/hands/hands-process.ts';
import { handsPrograms } from '../../agent-image/resident/src/hands/hands-programs.ts';
import { packageEnvironment } from '../../agent-image/resident/src/hands/package-environment.ts';
import { LOOPBACK_PROXY, proxyEnvironment } from '../../agent-image/resident/src/hands/proxy-environment.ts';
import { CACHE } from '../../local/village/paths.ts';
import { atEnd, untilEnd } from '../env/at-end.ts';
import { startHands, type Hands } from '../env/hands/start-hands.ts';
import { listenOnLoopback } from '../env/net/loopback.ts';
import { asideIn } from '../hands/toy-preset.ts';
import { CONTEXT_TOKENS, MODEL, type ModelRig } from './model-rig.ts';

/** Programs are large, so all checkouts share their folder. */
const INSTALLED = join(CACHE, 'clients');

export interface ProgramsPlace {
  readonly hands: Hands;
  readonly place: HandsProcessPorts;
  /** The hosts that programs wanted to reach. */
  readonly reached: string[];
  /** Installs the program if it is missing, and returns how it starts. */
  prepared(program: Preset): Promise<AcpLaunch>;
}

/** Lasts until the tests of the calling file have ended. */
export async function openProgramsPlace(rig: ModelRig): Promise<ProgramsPlace> {
  const hands = untilEnd(await startHands());
  const { workspace: cwd, socket } = hands;
  const home = join(dirname(cwd), 'home');
  mkdirSync(join(home, '.hamlet'), { recursive: true });
  mkdirSync(INSTALLED, { recursive: true });
  symlinkSync(INSTALLED, join(home, '.hamlet/programs'));
  const reached: string[] = [];
  const port = await startRefusingProxy(reached);
  const installing = () => ({
    ...rig.variables(),
    HOME: home,
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
  });
  const working = () => {
    const packages = packageEnvironment({ name: 'ada', email: 'ada@agents.test' });
    return { ...packages, ...proxiesAt(port), ...installing() };
  };
  const programs = handsPrograms(socket, {
    environmentOf: installing,
    trees: null,
    workspace: cwd,
    ended: () => undefined,
  });
  const { signal } = new AbortController();
  return {
    hands,
    place: { socket, cwd, environmentOf: working },
    reached,
    prepared: (program) =>
      PRESETS.prepare(program, {
        run: asideIn(programs, signal),
        progress: ({ title }) => console.log(title),
        home,
        values: { model: MODEL, context: String(CONTEXT_TOKENS) },
        signal,
      }),
  };
}

async function startRefusingProxy(reached: string[]): Promise<number> {
  const proxy = createServer((request, response) => {
    reached.push(String(request.url));
    response.writeHead(403).end();
  }).on('connect', (request, socket) => {
    reached.push(String(request.url));
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  const port = await listenOnLoopback(proxy);
  atEnd(() => proxy.close());
  return port;
}

/** The variables that name the pod's proxy, which here has another port. */
function proxiesAt(port: number): Record<string, string> {
  const { host, port: usual } = LOOPBACK_PROXY;
  const inPod = Object.entries(proxyEnvironment({ run: 'run', call: 'mind' }));
  return Object.fromEntries(
    inPod.map(([name, value]) => [name, value.replace(`${host}:${String(usual)}`, `${host}:${String(port)}`)]),
  );
}
