/**
 * Our engine with its manifests and its journal. Each stage is a call of a tool whose effect is `idempotent`: as with the peers, a
 * stage that was killed runs again, and one whose result is stored does not.
 */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Engine } from '@hamlet/engine/workflow';
import { serve, type Shape } from '../engine/subject.ts';
import { StageWork } from './stage-work.ts';

const folder = process.env['BENCH_FOLDER'] ?? '.';
/** All workflows share one journal, as all workflows of a peer share a database. */
const data = join(folder, 'data');
const work = new StageWork();

const TEXT = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const TOOLS = {
  tools: [
    { id: 'step', uses: 'handler', description: 'Makes a step.', effect: 'idempotent', input: TEXT, output: TEXT },
  ],
};

const stagesOf = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `s${at}`);

/** JSON is YAML. A stage of a sequence gets the output of the previous one. */
function workflowOf(shape: Shape, count: number): object {
  const ids = stagesOf(count);
  const nodes = ids.map((id) => ({ id, role: 'tool', tool: 'step' }));
  const chain = ids.slice(1).map((id, index) => ({ from: ids[index], to: id }));
  if (shape === 'sequence') return { id: shape, nodes, edges: chain };
  const all = { id: 'all', role: 'merge', merge: 'by_source' };
  return { id: shape, max_parallel: count, nodes: [...nodes, all], edges: ids.map((id) => ({ from: id, to: all.id })) };
}

function manifestsOf(shape: Shape, count: number): string {
  const dir = join(folder, `${shape}-${count}`);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'tools.yaml'), JSON.stringify(TOOLS));
  writeFileSync(join(dir, 'workflow.yaml'), JSON.stringify({ workflow: workflowOf(shape, count) }));
  return dir;
}

/** The stage of a call is in its id: `s7.1.1:1`. */
const numberIn = (call: string): number => Number(/^s(\d+)\./.exec(call)?.[1]);

async function open(shape: Shape, count: number): Promise<Engine> {
  const engine = await Engine.fromConfigDir(manifestsOf(shape, count), { data });
  engine.registerToolHandler('step', async (input, { run, call }) => {
    const { text } = input as { readonly text: string };
    return { text: work.textOf({ task: run, at: numberIn(call), text }) };
  });
  return engine;
}

/** The engine of one workflow holds the journal; that of another follows it. */
let opened: Readonly<{ key: string; engine: Promise<Engine> }> | null = null;

async function close(): Promise<void> {
  const closing = opened;
  opened = null;
  await (await closing?.engine)?.close();
}

async function engineOf(shape: Shape, count: number): Promise<Engine> {
  const key = `${shape}-${count}`;
  if (opened?.key !== key) {
    await close();
    opened = { key, engine: open(shape, count) };
  }
  return opened.engine;
}

async function outputOf(task: string, shape: Shape, count: number): Promise<unknown> {
  const engine = await engineOf(shape, count);
  const { output, failure } = await engine.runOne({ id: task, input: { text: '' } });
  if (failure !== null) throw new Error(failure.message);
  return output;
}

serve({
  task: (shape, texts) =>
    work.during(shape, texts, async (task) => {
      const output = await outputOf(task, shape, texts.length);
      if (shape === 'sequence') return [(output as { readonly text: string }).text];
      const all = output as Readonly<Record<string, { readonly text: string }>>;
      return stagesOf(texts.length).map((id) => all[id]?.text ?? '');
    }),
  validate: async (nodes) => {
    const engine = await Engine.fromConfigDir(manifestsOf('sequence', nodes), { data: join(folder, 'validated') });
    await engine.close();
  },
  // The file after a checkpoint, without the log, which the next writes reuse.
  stored: async () => {
    await close();
    const path = join(data, 'journal.db');
    const database = new DatabaseSync(path);
    database.exec('pragma wal_checkpoint(truncate)');
    database.close();
    return statSync(path).size;
  },
  end: close,
});
