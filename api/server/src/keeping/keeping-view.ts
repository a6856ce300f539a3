import type { Archive, Keeping, KeptThing } from '@hamlet/contract';
import type { ArchiveState, TableSize } from '@hamlet/store';
import type { KeepingRule, KeptDays } from './kept-things.ts';

interface Sizes {
  readonly databaseBytes: number;
  readonly tables: readonly TableSize[];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** The days of this village and the sentence about them. */
function termOf({ rule, days, setting }: KeepingRule, set: KeptDays): Pick<KeptThing, 'rule' | 'days'> {
  if (setting === undefined) return { rule, days: days ?? null };
  const own = set[setting.key];
  return own === 0 ? { rule: `${rule} ${setting.zero}`, days: null } : { rule, days: own };
}

/** The rules with the sizes of their tables and the days of this village. Pure. */
export function keepingView(
  rules: readonly KeepingRule[],
  { databaseBytes, tables, days, at }: Sizes & { readonly days: KeptDays; readonly at: Date },
): Omit<Keeping, 'archive'> {
  const sizes = new Map(tables.map((table) => [table.name, table]));
  const things = rules.map((rule): KeptThing => {
    const own = rule.tables.flatMap((name) => sizes.get(name) ?? []);
    return {
      id: rule.id,
      title: rule.title,
      until: rule.until,
      ...termOf(rule, days),
      setting: rule.setting?.value ?? null,
      deleted_by: rule.deletedBy ?? null,
      tables: [...rule.tables],
      rows: sum(own.map(({ rows }) => rows)),
      bytes: sum(own.map(({ bytes }) => bytes)),
    };
  });
  return { at: at.toISOString(), database_bytes: databaseBytes, things };
}

export function archiveView(state: ArchiveState | null): Archive | null {
  if (state === null) return null;
  const { reportedAt, baseAt, earliest, latest, bytes, limitBytes, days, problem } = state;
  return {
    reported_at: reportedAt.toISOString(),
    base_at: baseAt?.toISOString() ?? null,
    earliest: earliest?.toISOString() ?? null,
    latest: latest?.toISOString() ?? null,
    bytes,
    limit_bytes: limitBytes,
    days,
    problem,
  };
}
