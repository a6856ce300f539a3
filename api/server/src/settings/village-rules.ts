import { createHash } from 'node:crypto';
import { TOOL_CLASSES, VillageRules, type VillageRule } from '@hamlet/contract';
import { checkVillageRules } from '@hamlet/core';
import type { VillageSettingRow } from '@hamlet/store';

/** Key under which the settings keep the rules that an admin wrote. */
export const RULES_KEY = 'tool_rules';

/** The rules of the chart, and whether admins may write others in their place. */
export interface ChartRules {
  readonly rules: VillageRules;
  readonly editable: boolean;
}

export interface RulesInForce {
  readonly rules: VillageRules;
  readonly source: 'chart' | 'village';
  /** Names these rules: a change names the version that it replaces. */
  readonly version: string;
}

const sameRule = (one: VillageRule, other: VillageRule): boolean => JSON.stringify(one) === JSON.stringify(other);

const denialsOf = (rules: VillageRules): VillageRules => rules.filter(({ verdict }) => verdict === 'deny');

/** The denials of the chart that a list lacks: no admin of the web may drop one. Pure. */
export function missingDenials(chart: VillageRules, rules: VillageRules): VillageRules {
  return denialsOf(chart).filter((denial) => !rules.some((rule) => sameRule(rule, denial)));
}

/** Stands for stored rules that a later version of the API cannot use, so that an upgrade allows nothing that they did not. */
const ASK_FOR_ALL: VillageRule = {
  tools: [...TOOL_CLASSES],
  verdict: 'ask',
  reason: 'The stored rules cannot be used: an admin saves them again',
};

function inForce(rules: VillageRules, source: RulesInForce['source']): RulesInForce {
  return { rules, source, version: createHash('sha256').update(JSON.stringify(rules)).digest('hex') };
}

/** The rules in force: those that an admin stored, with every denial of the chart; else the chart's. Pure. */
export function rulesInForce(
  { rules: chart, editable }: ChartRules,
  rows: readonly Pick<VillageSettingRow, 'key' | 'value'>[],
): RulesInForce {
  const row = editable ? rows.find(({ key }) => key === RULES_KEY) : undefined;
  if (row === undefined) return inForce(chart, 'chart');
  const stored = VillageRules.safeParse(row.value);
  const joined = stored.success ? [...missingDenials(chart, stored.data), ...stored.data] : [];
  const isUsable = VillageRules.safeParse(joined).success && checkVillageRules(joined).length === 0;
  return inForce(isUsable ? joined : [...denialsOf(chart), ASK_FOR_ALL], 'village');
}
