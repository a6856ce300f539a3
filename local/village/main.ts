/** The commands behind the Makefile that start, watch and end a village. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { backup } from './backup/backup.ts';
import { restore } from './backup/restore.ts';
import { currentPlace } from './current/place.ts';
import { upCurrent } from './current/up.ts';
import { doctor } from './doctor/doctor.ts';
import { down } from './commands/down.ts';
import { Failure, printFailure } from './failure.ts';
import { hostArchitecture } from './images/architecture.ts';
import { referenceOf } from './images/build.ts';
import { buildImagesFor } from './images/foreign/build.ts';
import type { Place } from './kubectl.ts';
import { logs } from './commands/logs.ts';
import { NODE, ROOT } from './paths.ts';
import { readSettings, type Settings } from './settings.ts';
import { runSteps, type StepContext } from './steps.ts';
import { localPlace, up } from './commands/up.ts';
import { buildWeb } from './web.ts';

const USAGE = `usage: local/village/main.ts COMMAND

  up       the village: cluster, images, charts; prints the URL and the first login
  down     ends the village and the dev servers, and keeps the village's data
  dev      api, Postgres and Redis on loopback without Kubernetes
  logs     follows the village's logs
  backup   writes one file with all that the village holds
  restore  puts such a file into the village, in the place of what it holds
  doctor   checks everything the village depends on and says how to fix it
  images   builds the container images whose inputs changed

environment:
  CLUSTER=current          the kubectl context in force instead of a local cluster
  IMAGE_REGISTRY=host/path where CLUSTER=current pushes images
  ARCH=arm64               images for arm64, amd64, both by comma, or all; CLUSTER=current: those of its nodes
  YES=1                    answers the question of CLUSTER=current up, and of restore
  PORT=8080                port of the local village
  NAMESPACE=hamlet         namespace of the village
  WIPE=1                   down removes the village's data too
  FRESH=1                  up starts from nothing; what is kept here waits for down WIPE=1
  FILE=path                backup: where to write it; restore: which one
  WHO=name                 whose logs: api, operator, postgres, redis or an agent
  DETACH=1 RESIDENTS=1     dev returns when ready; dev starts ada and bob too
  HAMLET_CACHE=folder      where built things are kept`;

const COMMANDS: Readonly<Record<string, (settings: Settings) => Promise<void>>> = {
  up: async (settings) => (settings.cluster === 'current' ? upCurrent(settings) : up(settings)),
  down,
  dev: async () => dev(),
  logs: async (settings) => logs(await placeOf(settings), settings.who),
  backup: async (settings) => void (await backup(await placeOf(settings), settings.file)),
  restore: async (settings) => restore(await placeOf(settings), { file: settings.file, yes: settings.yes }),
  doctor: async (settings) => {
    if (!(await doctor(settings))) process.exitCode = 1;
  },
  images: async ({ architectures = [hostArchitecture()] }) => {
    await runSteps('Hamlet: images', [
      { name: 'web', work: buildWeb },
      ...architectures.map((architecture) => ({
        name: `images for ${architecture}`,
        work: async (context: StepContext) =>
          (await buildImagesFor(architecture, context)).map(referenceOf).join('\n  '),
      })),
    ]);
  },
};

/** Where the village is that a command is about. */
async function placeOf({ cluster, namespace }: Settings): Promise<Place> {
  return (cluster === 'current' ? currentPlace : localPlace)(namespace);
}

/** Builds the web, since the dev servers serve it as it was built, and hands over to them: they own the terminal until they end. */
async function dev(): Promise<void> {
  await runSteps('Hamlet: dev', [{ name: 'web', work: buildWeb }]);
  const flags = process.env['DETACH'] ? ['--detach'] : [];
  const child = spawn(NODE, [join(ROOT, 'local/dev/src/main.ts'), ...flags], { cwd: ROOT, stdio: 'inherit' });
  // Ctrl-C goes to the whole group: the servers end themselves, and this waits for them.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.exitCode = await new Promise<number>((resolve, reject) =>
    child.on('error', reject).on('close', (code) => resolve(code ?? 1)),
  );
}

async function main(name: string | undefined): Promise<void> {
  if (name === undefined || name === '--help' || name === '-h' || process.argv.includes('--help')) {
    console.log(USAGE);
    return;
  }
  const command = COMMANDS[name];
  if (command === undefined) throw new Failure(`no command ${name}`, 'local/village/main.ts --help lists them');
  await command(readSettings(process.env));
}

try {
  await main(process.argv[2]);
} catch (error) {
  printFailure(error);
  process.exitCode = 1;
}
