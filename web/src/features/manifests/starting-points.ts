import { parse } from 'yaml';
import nightly from '../../../../crds/samples/manifests-nightly-report.yaml?raw';
import research from '../../../../crds/samples/manifests-research.yaml?raw';
import review from '../../../../crds/samples/manifests-review.yaml?raw';
import type { Texts } from './texts/manifest-edits.ts';

/** A workflow to begin with. */
export type StartingPoint = Readonly<{ key: string; title: string; text: string; texts: Texts }>;

const BLANK: Texts = new Map([
  [
    'agents.yaml',
    `# The agents that stages ask. The village has no model "default", so they use the model of the village's agent.
agents:
  - id: writer
    description: Does the work.
    instructions: Do what the task says.
    model: default
`,
  ],
  [
    'workflow.yaml',
    `workflow:
  id: work
  description: One stage. Add more nodes, and edges between them.
  nodes:
    - { id: write, role: agent, agent: writer }
  edges: []
`,
  ],
]);

const dataOf = (configMap: string): Texts =>
  new Map(Object.entries((parse(configMap) as Readonly<{ data: Readonly<Record<string, string>> }>).data));

export const STARTING_POINTS: readonly StartingPoint[] = [
  { key: 'blank', title: 'Blank', text: 'One agent, one stage.', texts: BLANK },
  {
    key: 'review',
    title: 'Review',
    text: 'Three critics judge a text side by side, and a judge makes one verdict.',
    texts: dataOf(review),
  },
  {
    key: 'nightly-report',
    title: 'Nightly report',
    text: 'A report, with another model if the first one fails.',
    texts: dataOf(nightly),
  },
  {
    key: 'research',
    title: 'Research',
    text: 'An agent plans, a person allows the plan, two agents carry it out.',
    texts: dataOf(research),
  },
];
