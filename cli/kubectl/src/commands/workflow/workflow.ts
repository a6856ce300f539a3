import type { Command } from '../../command.ts';
import { ofApi } from '../../village-api.ts';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

const validate: Command = {
  name: 'workflow validate',
  usage: 'DIR',
  summary: 'checks the manifests of a workflow: every error with file, line, column and a hint',
  details: `Reads agents.yaml, tools.yaml, workflow.yaml, pipelines.yaml, memory.yaml, plugins.yaml and overrides.yaml of the folder, as far as
they are there, and needs no village. Exits 0 if they are valid, else 2.`,
  options: {},
  names: [1, 1],
  run: async (invocation) => (await import('./validate.ts')).validate(invocation),
};

const graph: Command = ofApi({
  name: 'workflow graph',
  usage: 'DIR|RUN [-o FILE.svg] [--pipeline=ID]',
  summary: 'draws the workflow of a folder or a run: as SVG, on a terminal as a list of its stages',
  details: `  -o, --output=FILE.svg       writes the picture into a file; json prints the plan
      --pipeline=ID           draws this pipeline; by default the first one, or that of the run

DIR needs no village.`,
  options: { output: { ...text, short: 'o' }, pipeline: text },
  names: [1, 1],
  run: async (invocation) => (await import('./graph.ts')).graph(invocation),
});

const apply: Command = ofApi({
  name: 'workflow apply',
  usage: 'AGENT DIR [--force-conflicts]',
  summary: 'gives an agent the workflow of a folder, once its manifests are valid',
  details: `      --force-conflicts       takes over fields that another program owns, such as a tool of GitOps

Replaces the manifests in the ConfigMap of spec.manifests; without one it makes the ConfigMap AGENT-manifests and names it there. The next
run has the new workflow; runs that exist keep theirs. Needs an admin. Exits 2 if the manifests are not valid.`,
  options: { 'force-conflicts': flag },
  names: [2, 2],
  run: async (invocation) => (await import('./apply.ts')).apply(invocation),
});

const run: Command = ofApi({
  name: 'workflow run',
  usage: 'AGENT [PROMPT] [--input=JSON|@FILE] [--pipeline=ID] [--mode=MODE] [--tag=TAG]... [--follow]',
  summary: 'gives an agent a task for its workflow, and shows the stages as they run',
  details: `      --input=JSON|@FILE      input of the task; without it PROMPT, as a text, and without both {}
      --pipeline=ID           takes this pipeline; by default the one that fits mode and tags best
      --mode, --tag           mode and tags of the task, for the choice of a pipeline; --tag is repeatable
  -f, --follow                prints each stage as it begins and ends, and what people must answer, then the output
      --json                  as --output=json

PROMPT names the task for people. Progress goes to standard error and the output to standard output. With --follow it exits 0 if the run
is done, else 1; Ctrl-C ends the command and not the run.`,
  options: {
    input: text,
    pipeline: text,
    mode: text,
    tag: { ...text, multiple: true },
    follow: { ...flag, short: 'f' },
    json: flag,
  },
  names: [1, 2],
  run: async (invocation) => (await import('./run.ts')).run(invocation),
});

const show: Command = ofApi({
  name: 'workflow show',
  usage: 'RUN',
  summary: 'shows the stages of a run: states, tokens, cost and failures',
  details: `"-o json" has the manifests, the plan, and the input and output of each stage too. "kubectl hamlet run ID" shows the run of the agent
of a stage, by the id in the column RUN.`,
  options: {},
  names: [1, 1],
  run: async (invocation) => (await import('./show.ts')).show(invocation),
});

const resume: Command = ofApi({
  name: 'workflow resume',
  usage: 'RUN [--from=STAGE] [--input=JSON|@FILE] [--current]',
  summary: 'repeats an ended run from one of its stages on, as a new run, and follows that',
  details: `      --from=STAGE            by default the first stage that failed or was stopped; the stages before it are taken over
      --input=JSON|@FILE      another input for that stage
      --current               takes the present manifests of the agent; by default those of the run

A run that waits, or whose agent was interrupted, continues by itself. Exits 0 if the new run is done, else 1.`,
  options: { from: text, input: text, current: flag },
  names: [1, 1],
  run: async (invocation) => (await import('./resume.ts')).resume(invocation),
});

/** Checks, draws and applies workflows, and runs them. Each verb is loaded when it is used: only these commands read manifests. */
export const workflow: readonly Command[] = [validate, graph, apply, run, show, resume];
