import type { RulesInForce as RulesView, setVillageRules } from '@hamlet/contract';
import { inTransaction, lockName, putVillageSetting, readVillageSettings, type Db } from '@hamlet/store';
import { recordAct } from '../../audit/record-act.ts';
import type { RequestOf } from '../../http/handler.ts';
import { accepted, refused, type Outcome, type Refused } from '../../http/outcome.ts';
import {
  missingDenials,
  RULES_KEY,
  rulesInForce,
  type ChartRules,
  type RulesInForce,
} from '../../settings/village-rules.ts';
import type { Village } from '../../village.ts';
import { proposedPolicy, wrong } from './proposed-policy.ts';

/** Size of stored rules as JSON, in bytes; the table refuses more. */
const RULES_MAX_BYTES = 60_000;

function viewOf({ rules, source, version }: RulesInForce, { editable }: ChartRules): RulesView {
  return { in_force: { of: 'village', rules }, village: { version, source, editable } };
}

const present = async (db: Db, chart: ChartRules): Promise<RulesInForce> =>
  rulesInForce(chart, await readVillageSettings(db));

/** The rules as Postgres has them: a replica's copy may be some milliseconds older. */
export async function readRules({ db, settings: { chartRules } }: Village): Promise<RulesView> {
  return viewOf(await present(db, chartRules), chartRules);
}

type Request = RequestOf<typeof setVillageRules>;

async function refuseRules(village: Village, rules: Request['body']['rules']): Promise<Refused | null> {
  if (rules === null) return null;
  if (Buffer.byteLength(JSON.stringify(rules)) > RULES_MAX_BYTES)
    return wrong([`the rules have more than ${RULES_MAX_BYTES} bytes: write fewer or shorter ones`]);
  const missing = missingDenials(village.settings.chartRules.rules, rules);
  if (missing.length > 0)
    return wrong(missing.map(({ tools }) => `the chart denies ${tools.join(', ')}: keep this rule as it is`));
  const proposal = { of: 'village', rules } as const;
  const proposed = await proposedPolicy(village, { proposal, classesInForce: village.classesOf });
  return proposed.ok ? null : proposed;
}

/** Stores rules in place of the version that the caller has read. A repeated request changes nothing. */
export async function setRules(village: Village, request: Request): Promise<Outcome<RulesView>> {
  const { db, settings } = village;
  const { chartRules } = settings;
  const { rules, version } = request.body;
  if (!chartRules.editable) return refused('rules_locked');
  const refusal = await refuseRules(village, rules);
  if (refusal !== null) return refusal;
  return inTransaction(db, async (tx) => {
    await lockName(tx, `setting ${RULES_KEY}`);
    const before = await present(tx, chartRules);
    const wanted = rulesInForce(chartRules, rules === null ? [] : [{ key: RULES_KEY, value: rules }]);
    if (wanted.version === before.version && wanted.source === before.source)
      return accepted(viewOf(before, chartRules));
    if (before.version !== version) return refused('rules_changed');
    await putVillageSetting(tx, { key: RULES_KEY, value: rules, by: request.actor });
    const detail = { before: before.version, version: wanted.version, rules };
    await recordAct(tx, request, { action: 'village.rules', object: 'rules', detail });
    return accepted(viewOf(wanted, chartRules));
  });
}
