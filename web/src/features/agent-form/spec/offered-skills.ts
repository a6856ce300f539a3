import type { OfferedSkill } from '@hamlet/contract';
import type { Json } from '../../../client/json.ts';
import { textAt } from './edit-spec.ts';

/** True if a row of `spec.skills` is the offered skill. Pure. */
export function isRowOf(row: Json, { name, from, config_map_name: map }: OfferedSkill): boolean {
  const source = textAt(row, ['from']);
  return from === 'image'
    ? textAt(row, ['name']) === name && (source === '' || source === 'Image')
    : source === 'ConfigMap' && textAt(row, ['configMapName']) === map;
}

/** The rows with the offered skill, or without it. It replaces another skill of its name. Pure. */
export function withSkill(rows: readonly Json[], skill: OfferedSkill, on: boolean): readonly Json[] {
  const { name, config_map_name: map } = skill;
  const others = rows.filter((row) => !isRowOf(row, skill) && !(on && textAt(row, ['name']) === name));
  if (!on) return others;
  return [...others, map === null ? { name } : { name, from: 'ConfigMap', configMapName: map }];
}

/** True if a check box shows all of a row. Pure. */
export function isOffered(row: Json, offered: readonly OfferedSkill[]): boolean {
  return textAt(row, ['sha256']) === '' && offered.some((skill) => skill.problem === null && isRowOf(row, skill));
}
