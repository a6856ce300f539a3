import { CAPABILITY_NAME_MAX_CHARS, CAPABILITY_TEXT_MAX_CHARS } from '@hamlet/contract/resident';
import type { Capability, CapabilityKind } from '@hamlet/contract';

/** Something that a check is about. Most kinds are there once, and have no other name. */
export type Subject = CapabilityKind | readonly [kind: CapabilityKind, name: string];

const fitting = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').trim().slice(0, CAPABILITY_TEXT_MAX_CHARS).toWellFormed();

function named(subject: Subject): Pick<Capability, 'kind' | 'name'> {
  const [kind, name] = typeof subject === 'string' ? [subject, subject] : subject;
  return { kind, name: name.slice(0, CAPABILITY_NAME_MAX_CHARS) };
}

/** A capability that the agent has, with what was found. */
export const has = (subject: Subject, why: string): Capability => ({
  ...named(subject),
  ok: true,
  why: fitting(why),
  fix: null,
});

/** A capability that the agent lacks, with the cause and what a person can do. */
export const lacks = (subject: Subject, why: string, fix: string): Capability => ({
  ...named(subject),
  ok: false,
  why: fitting(why),
  fix: fitting(fix),
});
