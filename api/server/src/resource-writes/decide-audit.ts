import type { IntentKind, SeenResource } from '@hamlet/store';
import { shorten } from '@hamlet/core';
import { authorOf } from '../agents/field-owners.ts';
import { changedPaths, digestsOf, fieldsOf } from './spec-fields.ts';

export interface ShownResource {
  readonly kind: IntentKind;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly spec: unknown;
  readonly managedFields: unknown;
  readonly ending: boolean;
}

/** `learn`: the API wrote the audit row already, so only the fields must be stored. */
type AuditVerdict =
  | { readonly verdict: 'known' }
  | { readonly verdict: 'learn'; readonly fields: Readonly<Record<string, string>> }
  | DueAudit;

export type DueAudit =
  | { readonly verdict: 'ended'; readonly detail: Readonly<Record<string, unknown>> }
  | {
      readonly verdict: 'made' | 'changed';
      readonly fields: Readonly<Record<string, string>>;
      /** The field manager of the change; `unknown` if Kubernetes does not name one. */
      readonly manager: string;
      readonly detail: Readonly<Record<string, unknown>>;
    };

const VALUE_MAX_CHARS = 200;
const FIELDS_MAX = 50;

function shownValue(value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null';
  return text.length <= VALUE_MAX_CHARS ? (value ?? null) : shorten(text, VALUE_MAX_CHARS);
}

function isOwn({ generation, ownGenerations }: SeenResource, upTo: number): boolean {
  return new Set(ownGenerations.filter((own) => own > generation && own <= upTo)).size === upTo - generation;
}

function hasAll({ generation, fieldsGeneration }: SeenResource, upTo: number): boolean {
  return upTo < generation || (upTo === generation && fieldsGeneration >= upTo);
}

export function hasRecorded({ generation, ownGenerations }: SeenResource, of: number): boolean {
  return of <= generation || ownGenerations.includes(of);
}

/** Decides whether a resource needs an audit row. A generation never gets two rows. Pure. */
export function decideAudit(seen: SeenResource | null, shown: ShownResource): AuditVerdict {
  const { uid, generation } = shown;
  if (seen !== null && seen.goneAt !== null) return { verdict: 'known' };
  if (shown.ending) return { verdict: 'ended', detail: { uid, generation } };
  const fields = digestsOf(shown.spec);
  if (seen === null) return { verdict: 'made', fields, ...lineOf(shown, Object.keys(fields), {}) };
  if (hasAll(seen, generation)) return { verdict: 'known' };
  if (isOwn(seen, generation)) return { verdict: 'learn', fields };
  const isFirst = seen.generation === 0;
  return {
    verdict: isFirst ? 'made' : 'changed',
    fields,
    ...lineOf(shown, changedPaths(seen.fields, fields), isFirst ? {} : { after_generation: seen.generation }),
  };
}

/** The values at these paths of a spec as the audit shows them: at most 50, and texts of at most 200 characters. Pure. */
export function shownFields(spec: unknown, paths: readonly string[]): Readonly<Record<string, unknown>> {
  const now = fieldsOf(spec);
  return Object.fromEntries(paths.slice(0, FIELDS_MAX).map((path) => [path, shownValue(now.get(path))]));
}

function lineOf(
  { uid, generation, spec, managedFields }: ShownResource,
  paths: readonly string[],
  more: Readonly<Record<string, unknown>>,
): { readonly manager: string; readonly detail: Readonly<Record<string, unknown>> } {
  const author = authorOf(managedFields, paths);
  return {
    manager: author?.manager ?? 'unknown',
    detail: { uid, generation, ...more, operation: author?.operation ?? null, fields: shownFields(spec, paths) },
  };
}
