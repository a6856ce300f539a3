import {
  DEFAULT_BRAND,
  formatAiDollars,
  VILLAGE_SETTINGS,
  type VillageSettingKey,
  type VillageSettingValues,
} from '@hamlet/contract';
import { readVillageSettings, VILLAGE_SETTINGS_CHANNEL, type VillageSettingRow } from '@hamlet/store';
import type { Log } from '../service/log.ts';
import { coalesce, repeat } from '../service/single-flight.ts';
import type { Services } from '../service/services.ts';
import type { EconomyRules } from '../money/ledger/judgement.ts';
import { rulesInForce, type ChartRules } from './village-rules.ts';

/** A notification can be lost with its connection. */
const POLL_MS = 5_000;

export const SETTING_KEYS = Object.keys(VILLAGE_SETTINGS) as readonly VillageSettingKey[];

/** The part of the configuration that the chart writes for these settings. */
interface ChartValues {
  readonly economy: Pick<EconomyRules, 'timeZone' | 'dailyAllowance'>;
  readonly turnDays: number;
  readonly sessionDays: number;
  readonly egressDays: number;
  readonly rules: ChartRules;
}

/** The values of the chart, which are in force until an admin sets others. */
function defaultSettings({
  economy,
  turnDays,
  sessionDays,
  egressDays,
}: Omit<ChartValues, 'rules'>): VillageSettingValues {
  return {
    brand_name: DEFAULT_BRAND.name,
    brand_color: DEFAULT_BRAND.color,
    time_zone: economy.timeZone,
    daily_allowance: formatAiDollars(economy.dailyAllowance),
    turn_days: turnDays,
    session_days: sessionDays,
    egress_days: egressDays,
    egress_open: true,
  };
}

/** The values in force: stored ones that their schema accepts, else the defaults. Pure. */
export function settingsInForce(
  defaults: VillageSettingValues,
  rows: readonly Pick<VillageSettingRow, 'key' | 'value'>[],
): VillageSettingValues {
  const stored = new Map(rows.map(({ key, value }) => [key, value]));
  const read = (key: VillageSettingKey): unknown => {
    const parsed = VILLAGE_SETTINGS[key].schema.safeParse(stored.get(key));
    return parsed.success ? parsed.data : defaults[key];
  };
  return Object.fromEntries(SETTING_KEYS.map((key) => [key, read(key)])) as unknown as VillageSettingValues;
}

/** This replica's settings, some milliseconds behind Postgres. */
export async function startVillageSettings({
  db,
  notifications,
  config,
  log,
}: Pick<Services, 'db' | 'notifications'> & { readonly config: ChartValues; readonly log: Log }) {
  const defaults = defaultSettings(config);
  const callbacks: (() => void)[] = [];
  const began = await readVillageSettings(db);
  let values = settingsInForce(defaults, began);
  let rules = rulesInForce(config.rules, began);

  async function look(): Promise<void> {
    const before = JSON.stringify(values);
    const rows = await readVillageSettings(db);
    values = settingsInForce(defaults, rows);
    const read = rulesInForce(config.rules, rows);
    // Policies are cached by the object of the rules.
    if (read.version !== rules.version) rules = read;
    if (JSON.stringify(values) !== before) for (const callback of callbacks) callback();
  }
  const failed = (error: unknown): void =>
    log('warn', 'the settings of the village could not be read; the API retries', { error });
  const lookOnce = coalesce(look);
  notifications.on(VILLAGE_SETTINGS_CHANNEL, () => void lookOnce().catch(failed));
  const end = repeat(POLL_MS, lookOnce, failed);
  return {
    defaults,
    get values() {
      return values;
    },
    chartRules: config.rules,
    /** Rules of the village for tools; the same object until they change. */
    get rules() {
      return rules.rules;
    },
    onChange: (changed: () => void): void => void callbacks.push(changed),
    close: end,
  };
}

export type VillageSettings = Awaited<ReturnType<typeof startVillageSettings>>;
