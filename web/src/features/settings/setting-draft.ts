import type { VillageSetting } from '@hamlet/contract';
import type { Checked } from '../../client/drafts.ts';

type Value = NonNullable<VillageSetting['value']>;
export type SettingKind = 'switch' | 'number' | 'color' | 'text';

/** The field for a setting, by the JSON schema of its value; null if only the chart changes it. */
export function kindOf({ schema }: Pick<VillageSetting, 'schema'>): SettingKind | null {
  if (schema === null) return null;
  const { type, pattern } = schema;
  if (type === 'boolean') return 'switch';
  if (type === 'integer' || type === 'number') return 'number';
  return typeof pattern === 'string' && pattern.startsWith('^#') ? 'color' : 'text';
}

/** A value as the field of its setting shows it. */
export function textOf(value: Value | null): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return value === null ? '' : String(value);
}

export function valueLabel(value: Value | null): string {
  if (typeof value === 'boolean') return value ? 'On' : 'Off';
  return value === null || value === '' ? 'not known here' : String(value);
}

/** Reads what a person wrote. The API decides whether the setting takes the value. */
export function readSetting(kind: SettingKind, text: string): Checked<{ readonly value: Value }> {
  const trimmed = text.trim();
  if (kind === 'switch') return { ok: true, value: trimmed === 'on' };
  if (trimmed === '') return { ok: false, problem: 'Write a value' };
  if (kind !== 'number') return { ok: true, value: trimmed };
  return /^[0-9]{1,9}$/.test(trimmed)
    ? { ok: true, value: Number(trimmed) }
    : { ok: false, problem: 'Write a whole number, for example 30' };
}
