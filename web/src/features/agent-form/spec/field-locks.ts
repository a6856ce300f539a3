import type { SpecField } from '@hamlet/contract';
import { pathsOverlap } from '@hamlet/core';
import type { SpecPath } from './edit-spec.ts';

type Owned = Pick<SpecField, 'path' | 'manager' | 'writable'>;

/** The manager that owns a part of a spec, the part around it or something in it; undefined if the form may write it. */
export function ownerOf(fields: readonly Owned[], path: SpecPath): string | undefined {
  const key = path.join('.');
  return fields.find((field) => !field.writable && pathsOverlap(field.path, key))?.manager;
}

/** The managers that own parts of a spec, each once. */
export function ownersOf(fields: readonly Owned[]): readonly string[] {
  return [...new Set(fields.filter(({ writable }) => !writable).map(({ manager }) => manager))];
}
