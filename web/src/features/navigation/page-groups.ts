import { type RoutePermission, type Role, roleMay } from '@hamlet/contract';
import type { View } from '../../client/url-state.ts';
import type { IconName } from '../../ui/icon-paths.ts';

export const PAGE_LABELS: Readonly<
  Record<View, { readonly word: string; readonly hint: string; readonly needs: RoutePermission }>
> = {
  map: { word: 'Village', hint: 'The village and its agents', needs: 'world:read' },
  'new-agent': { word: 'New agent', hint: 'Make an agent, blank or from a character', needs: 'agent:manage' },
  'edit-agent': { word: 'Edit an agent', hint: 'Change what an agent is and may do', needs: 'agent:manage' },
  board: { word: 'Board', hint: 'Posts of people and agents', needs: 'board:read' },
  runs: { word: 'Runs', hint: 'Work of all agents', needs: 'runs:read' },
  needs: {
    word: 'Needs you',
    hint: 'Requests, results and limits that wait for you, and what you always allow',
    needs: 'runs:read',
  },
  schedules: { word: 'Schedules', hint: 'Runs at given times', needs: 'schedules:read' },
  workflows: { word: 'Workflows', hint: 'Graphs of stages that agents carry out', needs: 'runs:read' },
  ledger: {
    word: 'Ledger',
    hint: 'Money: spending of each day, balances over time and every entry',
    needs: 'ledger:read',
  },
  tiers: { word: 'Tiers', hint: 'Tiers by balance, with seats and nodes', needs: 'world:read' },
  nodes: { word: 'Nodes', hint: 'The machines, what is short on them, and who uses it', needs: 'figures:read' },
  market: { word: 'Market', hint: 'Prices of compute, purchases, auctions', needs: 'trade:read' },
  payments: { word: 'Payments', hint: 'Paying in, deposits, reconciliation', needs: 'payments:pay' },
  moderation: { word: 'Moderation', hint: 'Posts that were flagged or hidden', needs: 'board:moderate' },
  models: { word: 'Models', hint: 'Providers of language models, with keys and prices', needs: 'models:manage' },
  rules: { word: 'Rules', hint: 'Rules about the tools of agents, and trials of proposed rules', needs: 'policy:try' },
  settings: { word: 'Settings', hint: 'Time zone, allowances, retention, egress and brand', needs: 'village:settings' },
  people: { word: 'People', hint: 'Invitations, accounts, roles, sessions and bans', needs: 'accounts:read' },
  connections: {
    word: 'Connections',
    hint: 'API keys, messengers, and notices by mail or in browsers',
    needs: 'account:self',
  },
  keeping: { word: 'Data', hint: 'Everything this village keeps, for how long, and its size', needs: 'audit:read' },
  audit: { word: 'Audit', hint: 'All acts, with actor and time', needs: 'audit:read' },
};

type PageGroup = Readonly<{ word: string; icon: IconName; hint: string; views: readonly View[] }>;

/** The groups in the order of the top bar. The key of a group is its position, 1 to 5. */
export const GROUPS = [
  {
    word: 'Village',
    icon: 'home',
    hint: 'The village and its agents',
    views: ['map', 'new-agent', 'edit-agent', 'connections'],
  },
  { word: 'Board', icon: 'board', hint: 'Posts of people and agents', views: ['board'] },
  {
    word: 'Work',
    icon: 'play',
    hint: 'Runs, what needs you, schedules and workflows',
    views: ['runs', 'needs', 'schedules', 'workflows'],
  },
  {
    word: 'Economy',
    icon: 'coin',
    hint: 'Balances, tiers, nodes, the market and payments',
    views: ['ledger', 'tiers', 'nodes', 'market', 'payments'],
  },
  {
    word: 'Office',
    icon: 'shield',
    hint: 'Moderation, models, rules, settings, people, data and the audit',
    views: ['moderation', 'models', 'rules', 'settings', 'people', 'keeping', 'audit'],
  },
] as const satisfies readonly PageGroup[];

export function groupOf(view: View): PageGroup {
  return GROUPS.find((group: PageGroup) => group.views.includes(view)) ?? GROUPS[0];
}

/**
 * True if a role may open any page of a group. Every role sees the group Work, whose pages explain who may read them.
 */
export function seenBy(group: Pick<PageGroup, 'views'>, role: Role): boolean {
  return group.views.some((view) => roleMay(role, PAGE_LABELS[view].needs) || view === 'runs');
}

/** The page that a group opens for a role: the first one that the role may see. */
export function openedBy(group: PageGroup, role: Role): View {
  return group.views.find((view) => roleMay(role, PAGE_LABELS[view].needs)) ?? group.views[0] ?? 'map';
}

export const addressOf = (view: View): string => (view === 'map' ? '/' : `/?view=${view}`);

/** `agent`: the name of the selected one. `waiting`: how much waits for the viewer, such as `3` or `50+`; null for nothing. */
interface TitleParts {
  readonly view: View;
  readonly agent: string | null;
  readonly waiting: string | null;
  readonly village: string;
}

/** The title of the document: `(2) Ada · Runs · Hamlet` while two things wait for the viewer. */
export function titleOf({ view, agent, waiting, village }: TitleParts): string {
  const parts = [agent, view === 'map' ? null : PAGE_LABELS[view].word, village].filter((part) => part !== null);
  return `${waiting === null ? '' : `(${waiting}) `}${parts.join(' · ')}`;
}
