import type { PolicyProposal, PolicyTrial, TrialExample, TrialVerdict } from '@hamlet/contract';
import { dataOf, tryPolicy } from '@hamlet/contract';
import { unknownNames } from '@hamlet/core/rules';
import { Failure, type Invocation } from '../command.ts';
import { readProposal } from '../policy-file.ts';
import { printable } from '../talk/printable.ts';
import { age, brief, listed } from '../table.ts';
import { apiCommand } from '../village-api.ts';

const USAGE = 'try -f FILE';
const SHOWN_EXAMPLES = 20;
const WORDS_CHARS = 48;
const RULE_CHARS = 60;

/** Formats the deciding rule: `village: deny publish, send`. */
function ruleText({ verdict, reason, rule }: TrialVerdict): string {
  if (rule === null) return reason;
  const when = rule.when === undefined ? '' : ` in a ${rule.when}`;
  return `${rule.from}: ${verdict} ${rule.tools.join(', ')}${when}`;
}

const examplesTable = (examples: readonly TrialExample[], nowMs: number): string =>
  listed(examples, '', {
    CHANGE: ({ before, after }) => `${before.verdict} → ${after.verdict}`,
    AGENT: ({ agent_id }) => agent_id,
    AGE: ({ at }) => age(at, nowMs),
    CALL: ({ words, tool }) => printable(brief(words === null ? tool : `${tool}: ${words}`, WORDS_CHARS)),
    'ANSWER THEN': ({ answer }) => answer ?? '-',
    DECIDES: ({ after }) => printable(brief(ruleText(after), RULE_CHARS)),
    'RUN AND CALL': ({ run_id, call_id }) => `${run_id} ${call_id}`,
  });

function unknownLines({ cut, looked_at: lookedAt, not_judged: not }: PolicyTrial): readonly string[] {
  const limit = cut === 'time' ? 'the trial reached its time limit' : 'the trial reached its limit of calls';
  return [
    ...(cut === null ? [] : [`${not.older} calls are older than the newest ${lookedAt}, and ${limit}`]),
    ...(not.without_facts === 0
      ? []
      : [`${not.without_facts} calls were made before the API recorded the facts of calls`]),
    ...(not.run_gone === 0 ? [] : [`${not.run_gone} calls belong to deleted runs`]),
    ...(not.agent_gone === 0 ? [] : [`${not.agent_gone} calls belong to deleted agents`]),
  ];
}

function answersText({ allowed, denied, expired }: PolicyTrial['changes'][number]['answers']): string {
  const parts = Object.entries({ allowed, denied, expired }).filter(([, count]) => count > 0);
  return parts.length === 0 ? '-' : parts.map(([word, count]) => `${count} ${word}`).join(', ');
}

const sumTable = (title: string, rows: PolicyTrial['by_class']): readonly string[] => [
  '',
  listed(rows, '', {
    [title]: ({ name }) => printable(name),
    CHANGE: ({ from, to }) => `${from} → ${to}`,
    CALLS: ({ calls }) => calls,
  }),
];

export function trialLines(trial: PolicyTrial, nowMs: number): readonly string[] {
  const { judged, changed, changes, by_class: byClass, by_agent: byAgent, examples } = trial;
  const unknown = unknownLines(trial);
  const not = unknown.length === 0 ? [] : ['', 'Not judged:', ...unknown.map((line) => `  ${line}`)];
  if (judged === 0) return ['no call of the last 7 days can be judged', ...not];
  if (changed === 0) return [`the proposed rules change none of ${judged} calls of the last 7 days`, ...not];
  const shown = examples.slice(0, SHOWN_EXAMPLES);
  return [
    `the proposed rules change ${changed} of ${judged} calls of the last 7 days`,
    '',
    listed(changes, '', {
      CHANGE: ({ from, to }) => `${from} → ${to}`,
      CALLS: ({ calls }) => calls,
      'ANSWERS THEN': ({ answers }) => answersText(answers),
    }),
    ...sumTable('CLASS', byClass),
    ...sumTable('AGENT', byAgent),
    '',
    examplesTable(shown, nowMs),
    ...(shown.length < changed ? [`(the newest ${shown.length} of ${changed}; -o json has up to 100)`] : []),
    ...not,
  ];
}

function fileOf({ names: [verb], flags: { filename } }: Pick<Invocation, 'names' | 'flags'>): string {
  if (verb !== 'try' || typeof filename !== 'string') throw new Failure(`usage: kubectl hamlet policy ${USAGE}`, 2);
  return filename;
}

function unknownNamesOf(proposal: PolicyProposal): readonly string[] {
  if (proposal.of === 'village') return unknownNames(proposal.rules);
  const { rules = [] } = proposal.tools;
  return unknownNames(rules, proposal.of === 'agent' ? proposal.tools.allow : []);
}

export const policy = apiCommand({
  name: 'policy',
  usage: USAGE,
  summary: 'tries proposed rules on the calls of the last week, and changes nothing',
  details: `  -f, --filename=FILE         YAML or JSON with the proposed rules, "-" for standard input: an Agent or an Entitlement (its
                              spec.tools), values of the chart (api.toolRules), or a list of rules of the village

The API judges the calls of the last 7 days by the rules in force and by the proposed ones, and reports each verdict that would have
been another. Taint and the answers of people are as they were then. Only calls of runs count, not what agents do by themselves
between them. Needs an admin.`,
  options: { filename: { type: 'string', short: 'f' } },
  names: [1, 1],
  act: (invocation) => readProposal(fileOf(invocation)),
  read: (api, body) => dataOf(api.call(tryPolicy, { body })),
  text: (trial, body, nowMs) => [
    ...unknownNamesOf(body).map((warning) => `! ${printable(warning)}`),
    ...trialLines(trial, nowMs),
  ],
});
