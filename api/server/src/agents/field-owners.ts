import type { SpecField } from '@hamlet/contract';
import { compareText, pathsOverlap } from '@hamlet/core';
import { z } from 'zod';

export const FIELD_MANAGER = 'hamlet-api';

const Entry = z.object({
  manager: z.string().default(''),
  operation: z.string().default(''),
  time: z.string().optional(),
  subresource: z.string().optional(),
  fieldsV1: z.record(z.string(), z.unknown()).optional(),
});

interface FieldOwner {
  readonly manager: string;
  /** `Apply` or `Update`. */
  readonly operation: string;
  readonly timeMs: number;
  readonly paths: ReadonlySet<string>;
}

function pathsOf(tree: unknown, path: string): readonly string[] {
  const inner = Object.entries(typeof tree === 'object' && tree !== null ? tree : {}).filter(([key]) =>
    key.startsWith('f:'),
  );
  if (inner.length === 0) return path === '' ? [] : [path];
  return inner.flatMap(([key, value]) => pathsOf(value, path === '' ? key.slice(2) : `${path}.${key.slice(2)}`));
}

/** The fields of a spec, or the keys of a ConfigMap. */
type OwnedPart = 'f:spec' | 'f:data';

function fieldOwners(managedFields: unknown, part: OwnedPart = 'f:spec'): readonly FieldOwner[] {
  return z
    .array(Entry)
    .parse(managedFields ?? [])
    .flatMap(({ manager, operation, time, subresource, fieldsV1 }) => {
      const fields = fieldsV1?.[part];
      if (subresource !== undefined || fields === undefined) return [];
      return [
        { manager, operation, timeMs: time === undefined ? 0 : Date.parse(time), paths: new Set(pathsOf(fields, '')) },
      ];
    });
}

const SHOWN_MAX = 500;

/** The owned fields of a spec by their path, at most 500; a field with several managers is shown with one that is not the API. Pure. */
export function specFields(managedFields: unknown): readonly SpecField[] {
  const ours = (manager: string): boolean => manager === FIELD_MANAGER;
  const managers = new Map<string, string>();
  for (const { manager, paths } of fieldOwners(managedFields))
    for (const path of paths) if (ours(managers.get(path) ?? FIELD_MANAGER)) managers.set(path, manager);
  return [...managers]
    .map(([path, manager]) => ({ path, manager, writable: ours(manager) }))
    .toSorted((a, b) => compareText(a.path, b.path))
    .slice(0, SHOWN_MAX);
}

/** Maps each path of a spec, or key of a ConfigMap, to the manager, other than the API, that owns it or a part of it. Pure. */
export function otherOwners(
  managedFields: unknown,
  paths: readonly string[],
  part: OwnedPart = 'f:spec',
): ReadonlyMap<string, string> {
  const others = fieldOwners(managedFields, part).filter(({ manager }) => manager !== FIELD_MANAGER);
  return new Map(
    paths.flatMap((path) => {
      const owner = others.find(({ paths: owned }) => [...owned].some((each) => pathsOverlap(each, path)));
      return owner === undefined ? [] : [[path, owner.manager]];
    }),
  );
}

/** The manager that last changed these paths; if no manager owns them, the last one that changed the spec, or null. Pure. */
export function authorOf(managedFields: unknown, paths: readonly string[]): FieldOwner | null {
  const owners = fieldOwners(managedFields);
  // In the same second, another manager counts as newer than the API, because the API audits its own changes when it makes them.
  const newest = (among: readonly FieldOwner[]): FieldOwner | null =>
    among.toSorted(
      (a, b) => b.timeMs - a.timeMs || Number(a.manager === FIELD_MANAGER) - Number(b.manager === FIELD_MANAGER),
    )[0] ?? null;
  return newest(owners.filter(({ paths: owned }) => paths.some((path) => owned.has(path)))) ?? newest(owners);
}
