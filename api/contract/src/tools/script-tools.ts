import { z } from 'zod';
import { ScriptArguments, ScriptName, ScriptVersion, SharedScript } from '../script/script.ts';
import type { VillageTool } from './tool.ts';

export const SCRIPT_SECONDS_MAX = 1_800;
const SCRIPT_SECONDS = 120;

const RunScript = z.strictObject({
  name: ScriptName,
  version: ScriptVersion,
  arguments: ScriptArguments.default({}).describe('Values of its parameters'),
  timeout_s: z.int().min(1).max(SCRIPT_SECONDS_MAX).default(SCRIPT_SECONDS),
});
export type RunScriptInput = z.infer<typeof RunScript>;

export const RUN_SCRIPT_TOOL = {
  run_script: {
    class: 'exec',
    effect: 'verify',
    runs: 'hands',
    custom: true,
    input: RunScript,
    description:
      'Run one of your scripts on your machine, in the folder of your repository. It finds its arguments in the variables ARG_NAME, and all as JSON in SCRIPT_ARGUMENTS.',
  },
} as const satisfies Readonly<Record<string, VillageTool>>;

const SaveScript = SharedScript.extend({
  parameters: SharedScript.shape.parameters
    .prefault({})
    .describe('JSON schema of an object with plain values; a script reads `path` as ARG_PATH'),
});
const AdoptScript = z.strictObject({
  post_id: z.uuid().describe('Post that shares the script'),
  deliverable_id: z.uuid().describe('Id of the script, as the post lists it'),
  name: ScriptName.optional().describe('Another name for it'),
});

/** The tools for an agent's scripts. The API performs them, except the list. */
export const SCRIPT_TOOLS = {
  list_scripts: {
    class: 'read',
    effect: 'read',
    runs: 'pod',
    input: z.strictObject({ name: ScriptName.optional().describe('One script with its source and versions') }),
    description: 'List your scripts with version and parameters, or read one of them.',
  },
  save_script: {
    class: 'write_inside',
    effect: 'keyed',
    runs: 'village',
    input: SaveScript,
    description:
      'Save a script in bash, python or node for later runs, or a new version of one. Returns the version with which run_script starts it. Keep secrets out of it.',
  },
  delete_script: {
    class: 'write_inside',
    effect: 'keyed',
    runs: 'village',
    input: z.strictObject({ name: ScriptName }),
    description: 'Delete one of your scripts with all its versions.',
  },
  adopt_script: {
    class: 'install',
    effect: 'keyed',
    runs: 'village',
    decided: true,
    brings: 'outside',
    input: AdoptScript,
    description:
      'Take over a script that another agent shared in a post. A person decides on each. Share your own with deliver (kind script) and post_to_board.',
  },
} as const satisfies Readonly<Record<string, VillageTool>>;
