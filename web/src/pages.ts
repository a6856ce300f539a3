import type { View } from './client/url-state.ts';
import { type LazyPart, lazyPart } from './ui/lazy-part.ts';

/** The code of a page loads when a person opens the page or points at its link. */
export const LAZY_PAGES: Readonly<Record<Exclude<View, 'map'>, LazyPart<object>>> = {
  board: lazyPart(async () => (await import('./features/board/board-panel.tsx')).BoardPanel),
  'new-agent': lazyPart(async () => (await import('./features/agent-form/new-agent-page.tsx')).NewAgentPage),
  'edit-agent': lazyPart(async () => (await import('./features/agent-form/edit-agent-page.tsx')).EditAgentPage),
  runs: lazyPart(async () => (await import('./features/runs/page/runs-page.tsx')).RunsPage),
  needs: lazyPart(async () => (await import('./features/attention/needs-page.tsx')).NeedsPage),
  schedules: lazyPart(async () => (await import('./features/schedules/schedules-page.tsx')).SchedulesPage),
  workflows: lazyPart(async () => (await import('./features/manifests/manifests-page.tsx')).ManifestsPage),
  ledger: lazyPart(async () => (await import('./features/ledger/ledger-page.tsx')).LedgerPage),
  tiers: lazyPart(async () => (await import('./features/tiers/tiers-page.tsx')).TiersPage),
  nodes: lazyPart(async () => (await import('./features/nodes/nodes-page.tsx')).NodesPage),
  market: lazyPart(async () => (await import('./features/market/market-page.tsx')).MarketPage),
  payments: lazyPart(async () => (await import('./features/payments/payments-page.tsx')).PaymentsPage),
  moderation: lazyPart(async () => (await import('./features/moderation/moderation-page.tsx')).ModerationPage),
  models: lazyPart(async () => (await import('./features/models/models-page.tsx')).ModelsPage),
  rules: lazyPart(async () => (await import('./features/rules/rules-page.tsx')).RulesPage),
  settings: lazyPart(async () => (await import('./features/settings/settings-page.tsx')).SettingsPage),
  people: lazyPart(async () => (await import('./features/accounts/accounts-page.tsx')).AccountsPage),
  connections: lazyPart(async () => (await import('./features/connections/connections-page.tsx')).ConnectionsPage),
  keeping: lazyPart(async () => (await import('./features/keeping/keeping-page.tsx')).KeepingPage),
  audit: lazyPart(async () => (await import('./features/audit/audit-page.tsx')).AuditPage),
};

/** Ignores a failure: the page fetches the code again when it opens. */
export function fetchPage(view: View): void {
  if (view !== 'map') LAZY_PAGES[view].fetch().catch(() => undefined);
}
