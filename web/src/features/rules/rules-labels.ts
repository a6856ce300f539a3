import { TOOL_CLASSES } from '@hamlet/contract';
import type { PolicyProposal, PolicyTrial, RulesInForce, TrialVerdict, Verdict } from '@hamlet/contract';
import { TOOL_CLASS_WORDS } from '../agent-form/fields/tool-class-words.ts';
import { capital } from '../../client/labels.ts';
import type { Tone } from '../../ui/controls.tsx';

type Layer = Readonly<{ agent_id?: string; tier?: string }>;

/** The key of a layer in the list of layers: `village`, `agent ada`, `tier tier-0`. */
export function layerKey({ agent_id: agent, tier }: Layer): string {
  if (agent !== undefined) return `agent ${agent}`;
  return tier === undefined ? 'village' : `tier ${tier}`;
}

export function layerOf(key: string): Layer {
  const [kind, name = ''] = key.split(' ');
  if (kind === 'agent') return { agent_id: name };
  return kind === 'tier' ? { tier: name } : {};
}

/** A rule as the page shows it; rules of all layers have these fields. */
export type ShownRule = Readonly<{
  tools: readonly string[];
  when?: 'run' | 'turn' | undefined;
  verdict: Verdict;
  reason?: string | undefined;
  tainted?: 'allow' | undefined;
  examples?: Readonly<{ match?: readonly unknown[] | undefined; not?: readonly unknown[] | undefined }> | undefined;
}>;

/** A class of tools in words; null for the name of one tool. */
export function classWords(name: string): string | null {
  const known = TOOL_CLASSES.find((each) => each === name);
  return known === undefined ? null : TOOL_CLASS_WORDS[known];
}

/** The classes of a rule as a sentence; empty if it names only tools. */
export function classesLabel(names: readonly string[]): string {
  if (TOOL_CLASSES.every((name) => names.includes(name))) return 'Everything that an agent can do.';
  const words = names.flatMap((name) => classWords(name)?.toLowerCase() ?? []);
  return words.length === 0 ? '' : `${capital(words.join('; '))}.`;
}

export function notesOf({ when, tainted, examples = {} }: ShownRule): readonly string[] {
  const count = [examples.match, examples.not].flatMap((calls) => calls ?? []).length;
  return [
    ...(when === undefined ? [] : [when === 'run' ? 'only in runs' : 'only between runs']),
    ...(tainted === undefined ? [] : ['also after text from outside']),
    ...(count === 0 ? [] : [`${count} ${count === 1 ? 'example' : 'examples'}`]),
  ];
}

export function rulesIn(proposal: PolicyProposal): readonly ShownRule[] {
  return proposal.of === 'village' ? proposal.rules : (proposal.tools.rules ?? []);
}

/** Where the rules in force come from, and when a change applies. */
export function sourceLabel(village: RulesInForce['village']): string {
  if (village === null) return 'These rules come from spec.tools of the custom resource; changes apply at once.';
  if (village.source === 'village')
    return 'An admin has put these rules in force here, in place of those of the chart.';
  return village.editable
    ? 'These rules come from the chart (api.toolRules). Change them below, at once.'
    : 'These rules come from the chart (api.toolRules), which keeps admins from changing them here (api.editableRules).';
}

const TRIAL_HINT =
  'Change the rules here, and see which calls of the last seven days they would have allowed, asked about or denied instead. A trial changes nothing.';

/** Title and hint of the form: with a button that puts rules in force, or only for trials. */
export function trialWords(village: RulesInForce['village']): { readonly title: string; readonly hint: string } {
  if (village?.editable !== true) return { title: 'Try other rules', hint: TRIAL_HINT };
  return {
    title: 'Change the rules',
    hint: `${TRIAL_HINT} Rules that you put in force judge the next call of every agent, and the audit keeps them. The denials of the chart stay.`,
  };
}

/** The text that a person edits: the rules of the village, or `spec.tools` of the tier or Agent. */
export function draftOf(proposal: PolicyProposal): string {
  return JSON.stringify(proposal.of === 'village' ? proposal.rules : proposal.tools, null, 2);
}

/** The proposal of an edited text, with all other rules in force; a problem if the text is not JSON. */
export function proposalOf(
  text: string,
  inForce: PolicyProposal,
): Readonly<{ ok: true; proposal: PolicyProposal }> | Readonly<{ ok: false; problem: string }> {
  try {
    const value: unknown = JSON.parse(text);
    // The API checks the form, and names each wrong field.
    const proposal = inForce.of === 'village' ? { ...inForce, rules: value } : { ...inForce, tools: value };
    return { ok: true, proposal: proposal as PolicyProposal };
  } catch (error) {
    return { ok: false, problem: `Write JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

export const VERDICT_WORDS: Readonly<Record<Verdict, string>> = { allow: 'Allow', ask: 'Ask', deny: 'Deny' };
export const VERDICT_TONES: Readonly<Record<Verdict, Tone>> = { allow: 'good', ask: 'waiting', deny: 'bad' };

export function loosens({ from, to }: Readonly<{ from: Verdict; to: Verdict }>): boolean {
  const order: readonly Verdict[] = ['allow', 'ask', 'deny'];
  return order.indexOf(to) < order.indexOf(from);
}

const calls = (count: number): string => `${count.toLocaleString('en')} ${count === 1 ? 'call' : 'calls'}`;

export function headline({ judged, changed }: Pick<PolicyTrial, 'judged' | 'changed'>): string {
  if (judged === 0) return 'No call of the last seven days can be judged.';
  if (changed === 0) return `These rules change none of ${calls(judged)} of the last seven days.`;
  return `These rules change ${changed.toLocaleString('en')} of ${calls(judged)} of the last seven days.`;
}

export function answersLabel({ allowed, denied, expired }: PolicyTrial['changes'][number]['answers']): string | null {
  const parts = [
    [allowed, 'allowed'],
    [denied, 'denied'],
    [expired, 'expired'],
  ] as const;
  const given = parts.filter(([count]) => count > 0).map(([count, word]) => `${count.toLocaleString('en')} ${word}`);
  return given.length === 0 ? null : `Then: ${given.join(', ')}`;
}

export function unknownLabels({ cut, looked_at: looked, not_judged: not }: PolicyTrial): readonly string[] {
  const limit = cut === 'time' ? 'the trial reached its time limit' : 'the trial reached its limit of calls';
  return [
    ...(cut === null ? [] : [`${calls(not.older)} older than the newest ${looked.toLocaleString('en')}: ${limit}.`]),
    ...(not.without_facts === 0
      ? []
      : [`${calls(not.without_facts)} from before the village recorded the facts that a trial needs.`]),
    ...(not.run_gone === 0 ? [] : [`${calls(not.run_gone)} of deleted runs.`]),
    ...(not.agent_gone === 0 ? [] : [`${calls(not.agent_gone)} of deleted agents.`]),
  ];
}

const LAYERS = {
  village: 'the village',
  tier: 'the tier',
  agent: 'the Agent',
  parent: 'the run that delegated',
  safe_mode: 'the safe mode of the run',
} as const;

export function ruleLabel({ reason, rule }: TrialVerdict): string {
  if (rule === null) return reason;
  const tools = rule.tools.length > 4 ? `${rule.tools.slice(0, 4).join(', ')} …` : rule.tools.join(', ');
  return `${reason} (rule of ${LAYERS[rule.from]} about ${tools})`;
}
