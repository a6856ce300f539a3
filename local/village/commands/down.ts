/** `make down`: ends the village and the dev servers. The data stays for the next start, unless WIPE=1 removes it. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { takeClusterDown } from '../cluster.ts';
import { run } from '../command.ts';
import { putBack, whatGoes } from './kept-data.ts';
import { helm, kubectl } from '../kubectl.ts';
import { currentPlace } from '../current/place.ts';
import { NODE, ROOT, STATE } from '../paths.ts';
import type { Settings } from '../settings.ts';
import { runSteps, type Step } from '../steps.ts';

/** Ends what `make up` and `make dev` started. */
export async function down(settings: Settings): Promise<void> {
  await runSteps(
    'Hamlet: taking the village down',
    settings.cluster === 'current' ? currentSteps(settings) : localSteps(settings),
  );
  // up.json names the village of this machine, which an end in another cluster leaves as it is.
  if (settings.wipe && settings.cluster === 'local') rmSync(join(STATE, 'up.json'), { force: true });
}

function localSteps(settings: Settings): Step[] {
  const dev: Step = {
    name: 'dev servers',
    work: async (context) => {
      await run(NODE, [join(ROOT, 'local/dev/src/main.ts'), '--stop'], { log: context.log });
    },
  };
  const cluster: Step = {
    name: 'cluster',
    work: async (context) => {
      const kept = settings.wipe
        ? 'without its data'
        : 'its data stays for the next make up; make down WIPE=1 removes it';
      const said = await takeClusterDown(settings.wipe ? [] : ['--keep-data'], {
        log: context.log,
        onLine: context.doing,
      });
      return `${said.split('\n').at(-1) ?? ''}; ${kept}`;
    },
  };
  const wiped: Step = { name: 'what goes', work: async () => whatGoes() };
  const back: Step = { name: 'what was set aside', work: async () => putBack() };
  const ending = settings.wipe ? [wiped, cluster, back] : [cluster];
  return existsSync(join(STATE, 'dev.json')) ? [dev, ...ending] : ending;
}

/** The chart's own hook removes the Agents first, while the operator is there to clean up after them. */
function currentSteps(settings: Settings): Step[] {
  return [
    {
      name: 'chart',
      work: async (context) => {
        await helm(await currentPlace(settings.namespace), ['uninstall', 'hamlet', '--ignore-not-found', '--wait'], {
          log: context.log,
          onLine: context.doing,
        });
        return settings.wipe ? undefined : 'the volume of Postgres stays; WIPE=1 removes it';
      },
    },
    ...(settings.wipe
      ? [
          {
            name: 'data',
            work: async () => {
              await kubectl(await currentPlace(settings.namespace), [
                'delete',
                'pvc,secret',
                '-l',
                'app.kubernetes.io/part-of=hamlet',
                '--ignore-not-found',
              ]);
            },
          },
        ]
      : []),
  ];
}
