/**
 * The hooks of plugins: a closed list with a version. docs/reference/hooks.md shows it, and a test fails when the two differ.
 *
 * Payloads are data: a plugin gets no handle to the journal, the tools or the engine.
 */
import { z } from 'zod';
import { EFFECTS } from '../../journal/event.ts';
import { FAILURE_CATEGORIES } from '../plan/failure.ts';
import { NODE_ROLES } from '../plan/plan.ts';

/** Increment it when a hook or a field is removed, renamed or means something else. A new field needs no new version. */
export const HOOKS_VERSION = 1;

const name = z.string();
const count = z.int().min(0);
const json = z.unknown();

const task = { task: name, run: name, workflow: name.nullable(), pipeline: name.nullable() };
const stage = {
  task: name,
  run: name,
  stage: name,
  role: z.enum(NODE_ROLES),
  attempt: z.int().min(1),
  round: z.int().min(1),
};
const agent = { task: name, run: name, stage: name.nullable(), agent: name.nullable(), model: name };
const tool = {
  task: name,
  run: name,
  stage: name.nullable(),
  agent: name.nullable(),
  call: name,
  tool: name,
  effect: z.enum(EFFECTS),
  attempt: z.int().min(1),
  arguments: json,
};
const failure = z.object({ category: z.enum(FAILURE_CATEGORIES), code: name, message: name });
const signature = z.object({
  taskId: name,
  pipelineId: name,
  stageId: name,
  nodeType: name,
  category: z.enum(FAILURE_CATEGORIES),
  code: name,
});

/** `when`: for people. `vetoes`: true if a plugin may keep what comes next from happening, with a reason. */
export const HOOKS = {
  before_task: {
    when: 'before the first stage of a task, and again when another process continues the task',
    vetoes: true,
    payload: z.object({ ...task, mode: name.nullable(), tags: z.array(name), input: json }),
  },
  after_task: {
    when: 'after a task has ended',
    vetoes: false,
    payload: z.object({
      ...task,
      status: z.enum(['completed', 'failed', 'cancelled']),
      output: json,
      code: name.nullable(),
    }),
  },
  before_stage: {
    when: 'before each attempt and round of a stage',
    vetoes: true,
    payload: z.object({ ...stage, input: json }),
  },
  after_stage: {
    when: 'after each attempt and round of a stage',
    vetoes: false,
    payload: z.object({ ...stage, output: json, failure: failure.nullable() }),
  },
  before_agent: {
    when: 'before the run of an agent begins',
    vetoes: true,
    payload: z.object({ ...agent, input: json }),
  },
  after_agent: {
    when: 'after the run of an agent has ended',
    vetoes: false,
    payload: z.object({ ...agent, outcome: z.enum(['done', 'failed', 'cancelled']), output: json, tokens: count }),
  },
  before_tool: {
    when: 'before each attempt of a call that the policy has allowed',
    vetoes: true,
    payload: z.object(tool),
  },
  after_tool: {
    when: 'after each attempt of a call',
    vetoes: false,
    payload: z.object({ ...tool, outcome: name, text: name }),
  },
  on_error: {
    when: 'at each error of a model, a tool, a stage or a task',
    vetoes: false,
    payload: z.object({ task: name, run: name, where: name, failure: signature, message: name }),
  },
  on_completion: {
    when: 'after `after_task`, if the task is completed',
    vetoes: false,
    payload: z.object({ ...task, output: json }),
  },
} as const;

export type Hook = keyof typeof HOOKS;
/** Inputs, outputs and arguments are JSON values. A plugin gets a copy that is frozen in depth. */
export type HookContext<H extends Hook> = Readonly<z.infer<(typeof HOOKS)[H]['payload']>>;

/** The answer of a plugin that keeps what comes next from happening. Any other answer has no effect. */
export type Veto = Readonly<{ veto: string }>;

export type HookHandler<H extends Hook> = (context: HookContext<H>) => Veto | void | Promise<Veto | void>;
