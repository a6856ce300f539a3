/**
 * DBOS: a workflow whose stages are its steps, started one after another or, as its guide advises, all in a fixed order and awaited
 * together. The result of a step is one row in Postgres, written before the workflow continues.
 */
import { DBOS } from '@dbos-inc/dbos-sdk';
import { serve } from '../../engine/subject.ts';
import { StageWork } from '../../workflow/stage-work.ts';
import { storedBytes } from './stored-bytes.mjs';

const work = new StageWork();
const step = (given) => DBOS.runStep(async () => work.textOf(given), { name: `s${given.at}` });

const sequence = DBOS.registerWorkflow(
  async (task, stages) => {
    let text = '';
    for (let at = 0; at < stages; at += 1) text = await step({ task, at, text });
    return [text];
  },
  { name: 'sequence' },
);
const parallel = DBOS.registerWorkflow(
  (task, stages) => Promise.all(Array.from({ length: stages }, (_, at) => step({ task, at, text: '' }))),
  { name: 'parallel' },
);

DBOS.setConfig({
  name: 'bench',
  systemDatabaseUrl: process.env.POSTGRES_URL,
  logLevel: 'error',
  runAdminServer: false,
});
await DBOS.launch();

serve({
  task: (shape, texts) =>
    work.during(shape, texts, (task) => (shape === 'sequence' ? sequence : parallel)(task, texts.length)),
  stored: () => storedBytes(process.env.POSTGRES_URL),
  end: () => DBOS.shutdown(),
});
