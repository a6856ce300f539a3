import type { PolicyProposal } from '@hamlet/contract';
import { readJson } from '@hamlet/core';
import { isJsonObject, type Json } from '../../client/json.ts';

type Of = PolicyProposal['of'];

/**
 * The rules in the text that a person edits: the list of the village, or the part `rules` of `spec.tools`. Null if the
 * text has another form, which only its JSON can show.
 */
export function rulesOfText(text: string, of: Of): readonly Json[] | null {
  const value = readJson(text);
  const rules = of === 'village' ? value : isJsonObject(value) ? (value['rules'] ?? []) : null;
  return Array.isArray(rules) && rules.every(isJsonObject) ? rules : null;
}

/** The text with other rules; everything beside the rules stays. */
export function withRules(text: string, of: Of, rules: readonly Json[]): string {
  const value = readJson(text);
  return JSON.stringify(of === 'village' ? rules : { ...(isJsonObject(value) ? value : {}), rules }, null, 2);
}

/** A rule with some parts changed; an empty text removes its part. A rule that no longer allows has no use for `tainted`. */
export function changedRule(rule: Json, change: Json): Json {
  const next = Object.entries({ ...rule, ...change }).filter(([, value]) => value !== '');
  const allows = next.some(([key, value]) => key === 'verdict' && value === 'allow');
  return Object.fromEntries(next.filter(([key]) => key !== 'tainted' || allows));
}
