import type { ComponentType } from 'react';
import type { View } from './client/url-state.ts';
import { type LazyPart, lazyPart } from './ui/lazy-part.ts';

type Page = LazyPart<object>;
const page = (load: () => Promise<ComponentType>): Page => lazyPart(load);

/** The code of a page loads when a person opens the page or points at its link. */
export const LAZY_PAGES: Readonly<Record<Exclude<View, 'map'>, Page>> = {
  board: page(async () => (await import('./features/board/board-panel.tsx')).BoardPanel),
  'new-agent': page(async () => (await import('./features/agent-form/new-agent-page.tsx')).NewAgentPage),
  'edit-agent': page(async () => (await import('./features/agent-form/edit-agent-page.tsx')).EditAgentPage),
  runs: page(async () => (await import('./features/runs/page/runs-page.tsx')).RunsPage),
  needs: page(async () => (await import('./features/attention/needs-page.tsx')).NeedsPage),
  schedules: page(async () => (await import('./features/schedules/schedules-page.tsx')).SchedulesPage),
  workflows: page(async () => (await import('./features/manifests/manifests-page.tsx')).ManifestsPage),
  ledger: page(async () => (await import('./features/ledger/ledger-page.tsx')).LedgerPage),
  tiers: page(async () => (await import('./features/tiers/tiers-page.tsx')).TiersPage),
  nodes: page(async () => (await import('./features/nodes/nodes-page.tsx')).NodesPage),
  market: page(async () => (await import('./features/market/market-page.tsx')).MarketPage),
  payments: page(async () => (await import('./features/payments/payments-page.tsx')).PaymentsPage),
  moderation: page(async () => (await import('./features/moderation/moderation-page.tsx')).ModerationPage),
  models: page(async () => (await import('./features/models/models-page.tsx')).ModelsPage),
  rules: page(async () => (await import('./features/rules/rules-page.tsx')).RulesPage),
  settings: page(async () => (await import('./features/settings/settings-page.tsx')).SettingsPage),
  people: page(async () => (await import('./features/accounts/accounts-page.tsx')).AccountsPage),
  connections: page(async () => (await import('./features/connections/connections-page.tsx')).ConnectionsPage),
  keeping: page(async () => (await import('./features/keeping/keeping-page.tsx')).KeepingPage),
  audit: page(async () => (await import('./features/audit/audit-page.tsx')).AuditPage),
};

/** Ignores a failure: the page fetches the code again when it opens. */
export function fetchPage(view: View): void {
  if (view !== 'map') LAZY_PAGES[view].fetch().catch(() => undefined);
}
