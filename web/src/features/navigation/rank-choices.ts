import { type Role, roleMay, type RoutePermission, type Run } from '@hamlet/contract';
import type { Place, Tab, View } from '../../client/url-state.ts';
import { shortLine } from '../permissions/shown-arguments.ts';
import { GROUPS, PAGE_LABELS, seenBy } from './page-groups.ts';
import { visibleText } from '@hamlet/core/visible-text';

/** Something that a person may open by its name, or by a word of its `hint`. `agent`: the agent to select; undefined keeps the selection. */
export interface Choice {
  readonly key: string;
  readonly kind: 'Agent' | 'Page' | 'Act' | 'Conversation' | 'Run';
  readonly word: string;
  readonly hint?: string;
  readonly agent?: string;
  readonly place: Partial<Place>;
}

/** Number of choices that a person sees at once. */
const SHOWN_MAX = 9;
const WORD_MAX_CHARS = 80;

export function pageChoices(role: Role): readonly Choice[] {
  return GROUPS.flatMap(({ views }): readonly View[] => views)
    .filter((view) => seenBy({ views: [view] }, role))
    .map((view) => {
      const { word, hint } = PAGE_LABELS[view];
      return { key: `page ${view}`, kind: 'Page', word, hint, place: { view, run: null } };
    });
}

type Named = Readonly<{ id: string; name: string }>;

export function agentChoices(agents: readonly Named[]): readonly Choice[] {
  return agents.map(({ id, name }) => ({
    key: `agent ${id}`,
    kind: 'Agent',
    word: name,
    agent: id,
    place: { view: 'map' },
  }));
}

const ACTS: readonly Readonly<{ tab: Tab; needs: RoutePermission; wordOf: (name: string) => string }>[] = [
  { tab: 'chat', needs: 'sessions:write', wordOf: (name) => `Talk to ${name}` },
  { tab: 'runs', needs: 'run:create', wordOf: (name) => `Give ${name} a task` },
  { tab: 'money', needs: 'economy:judge', wordOf: (name) => `Reward or penalize ${name}` },
];

/** The acts of a role that begin in the panel of an agent. */
export function actChoices(agents: readonly Named[], role: Role): readonly Choice[] {
  const mine = ACTS.filter(({ needs }) => roleMay(role, needs));
  return agents.flatMap(({ id, name }) =>
    mine.map(({ tab, wordOf }) => ({
      key: `${tab} ${id}`,
      kind: 'Act',
      word: wordOf(name),
      agent: id,
      place: { view: 'map', tab, chat: null },
    })),
  );
}

/** Runs by their task; the messages of a conversation are one choice, by the newest message. */
export function runChoices(runs: readonly Run[], nameOf: (agent: string) => string): readonly Choice[] {
  const known = new Map<string, Choice>();
  for (const { run_id: run, agent_id: agent, session_id: chat, prompt, veiled } of runs) {
    const key = `${chat === null ? 'run' : 'chat'} ${chat ?? run}`;
    if (known.has(key) || veiled === true) continue;
    const word = `${visibleText(shortLine(prompt)).slice(0, WORD_MAX_CHARS)} · ${nameOf(agent)}`;
    if (chat === null) known.set(key, { key, kind: 'Run', word, place: { view: 'runs', run } });
    else known.set(key, { key, kind: 'Conversation', word, agent, place: { tab: 'chat', chat } });
  }
  return [...known.values()];
}

/**
 * The best choices for a typed text: those that begin with it, then those with a word that begins with it, then those that
 * contain all of its words, then those with a hint that contains them. Equal ones keep their order. Without a text, the
 * first ones.
 */
export function rankChoices(choices: readonly Choice[], typed: string): readonly Choice[] {
  const wanted = typed.trim().toLowerCase();
  return choices
    .map((choice) => ({ choice, rank: rankOf(choice, wanted) }))
    .filter(({ rank }) => rank !== null)
    .toSorted((left, right) => (left.rank ?? 0) - (right.rank ?? 0))
    .slice(0, SHOWN_MAX)
    .map(({ choice }) => choice);
}

function rankOf({ word, hint = '' }: Choice, wanted: string): number | null {
  const name = word.toLowerCase();
  if (name.startsWith(wanted)) return 0;
  if (name.includes(` ${wanted}`)) return 1;
  const parts = wanted.split(/\s+/);
  const isIn = (text: string): boolean => parts.every((part) => text.includes(part));
  return isIn(name) ? 2 : isIn(hint.toLowerCase()) ? 3 : null;
}
