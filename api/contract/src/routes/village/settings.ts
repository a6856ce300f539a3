import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { JsonObject } from '../../values/scalars.ts';
import { VILLAGE_SETTINGS, type VillageSettingKey } from '../../values/village-setting.ts';

const VALUE_MAX_CHARS = 256;
const Value = z.union([z.string().max(VALUE_MAX_CHARS), z.number(), z.boolean()]);
const Key = z.enum(Object.keys(VILLAGE_SETTINGS) as [VillageSettingKey, ...VillageSettingKey[]]);

export const VillageSetting = z.strictObject({
  key: z.string(),
  title: z.string(),
  what: z.string().describe('The effect in a sentence'),
  value: Value.nullable().describe('The value in force; null if only the chart has it'),
  default: Value.nullable().describe('The value of the chart, or of the village without one; null as for value'),
  source: z.enum(['village', 'chart']).describe('village: an admin has set it here. chart: the default is in force'),
  where: z.string().nullable().describe('Key of the chart values; null if the chart has no such value'),
  schema: JsonObject.nullable().describe('JSON schema of the value; null if only the chart changes it'),
});
export type VillageSetting = z.infer<typeof VillageSetting>;

const settings = { tag: 'service', permission: 'village:settings' } as const;

export const getVillageSettings = defineRoute('getVillageSettings GET /village/settings', {
  ...settings,
  summary: 'Settings of the village: those that change here at once, and where the chart has the others',
  answer: json(z.strictObject({ settings: z.array(VillageSetting) })),
});

export const setVillageSetting = defineRoute('setVillageSetting PUT /village/settings/{key}', {
  ...settings,
  summary: 'Change a setting at once for all replicas; null returns to the value of the chart',
  params: z.strictObject({ key: Key }),
  body: z.strictObject({ value: Value.nullable() }),
  answer: json(VillageSetting),
  reasons: ['invalid_setting'],
});
