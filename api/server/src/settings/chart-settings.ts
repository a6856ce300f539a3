import type { VillageSetting } from '@hamlet/contract';

const inChart = (where: string, title: string, what: string): VillageSetting => ({
  key: where,
  title,
  what,
  value: null,
  default: null,
  source: 'chart',
  where,
  schema: null,
});

/** Settings that only the chart changes, because pods, rights or signed rules depend on them: `helm upgrade` with these values. */
export const CHART_SETTINGS: readonly VillageSetting[] = [
  inChart('economy.rewardLimit', 'Daily rewards of an admin', 'aiDollars that one admin may give as rewards in a day.'),
  inChart('economy.creditLimit', 'Daily credits of an admin', 'aiDollars that one admin may credit alone in 24 hours.'),
  inChart('economy.prices', 'Prices', 'Prices of compute beyond the tiers.'),
  inChart(
    'api.toolRules',
    'Rules for tools',
    'Rules until an admin writes others on the page Rules; its denials stay.',
  ),
  inChart('api.editableRules', 'Rules in the web', 'False: the page Rules shows and tries rules, and stores none.'),
  inChart('api.repositories', 'Repositories', 'Repositories on which members may open conversations.'),
  inChart(
    'models.config',
    'Models of the chart',
    'Providers, routes and prices that the chart names; admins connect others.',
  ),
  inChart('egress.allow', 'Hosts for all agents', 'Hosts outside that all agents may reach.'),
  inChart('egress.secretNames', 'Secrets for outside', 'Secrets that rules of agents may name.'),
  inChart('oidc', 'Single sign-on', 'The identity provider, and the groups of members and admins.'),
  inChart('payments.paypal', 'PayPal', 'The account whose payments become aiDollars.'),
];
