import { VILLAGE_SETTINGS, type VillageSetting, type VillageSettingKey } from '@hamlet/contract';
import { putVillageSetting, readVillageSettings } from '@hamlet/store';
import type { Db, VillageSettingRow } from '@hamlet/store';
import { z } from 'zod';
import { recordAct } from '../audit/record-act.ts';
import { inTx, plain, type Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import { CHART_SETTINGS } from './chart-settings.ts';
import { SETTING_KEYS, settingsInForce, type VillageSettings } from './village-settings.ts';

interface SettingServices {
  readonly db: Db;
  readonly settings: VillageSettings;
}

/** A setting as Postgres has it: a replica's copy may be some milliseconds older. */
function view(
  key: VillageSettingKey,
  defaults: VillageSettings['defaults'],
  rows: readonly VillageSettingRow[],
): VillageSetting {
  const { title, what, where, schema } = VILLAGE_SETTINGS[key];
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return {
    key,
    title,
    what,
    value: settingsInForce(defaults, rows)[key],
    default: defaults[key],
    source: rows.some((row) => row.key === key) ? 'village' : 'chart',
    where,
    schema: json,
  };
}

export function settingHandlers({ db, settings: { defaults } }: SettingServices) {
  return {
    getVillageSettings: plain(async () => {
      const rows = await readVillageSettings(db);
      return accepted({ settings: [...SETTING_KEYS.map((key) => view(key, defaults, rows)), ...CHART_SETTINGS] });
    }),
    setVillageSetting: inTx(async (request, tx) => {
      const { key } = request.params;
      const parsed = VILLAGE_SETTINGS[key].schema.nullable().safeParse(request.body.value);
      if (!parsed.success) return refused('invalid_setting', `${key}: ${parsed.error.issues[0]?.message ?? ''}`);
      const before = settingsInForce(defaults, await readVillageSettings(tx))[key];
      await putVillageSetting(tx, { key, value: parsed.data, by: request.actor });
      const after = await readVillageSettings(tx);
      const detail = { before, value: parsed.data };
      await recordAct(tx, request, { action: 'village.setting', object: key, detail });
      return accepted(view(key, defaults, after));
    }),
  } satisfies Partial<Handlers>;
}
