import type { Permission } from '@hamlet/contract';
import { parsed } from '../shown-arguments.ts';

/** A post that an agent asks to write: its arguments without the deliverables, and their ids. */
export interface ShownPost {
  /** JSON for the list of arguments. */
  readonly argumentsText: string;
  readonly deliverables: readonly string[];
}

/** The post of a request; null if the request is no post or publishes no deliverable: then its arguments are shown as they are. */
export function shownPost({ tool, arguments: text }: Pick<Permission, 'tool' | 'arguments'>): ShownPost | null {
  if (tool !== 'post_to_board') return null;
  const post = parsed(text);
  if (typeof post !== 'object' || post === null || !('deliverables' in post)) return null;
  const { deliverables, ...rest } = post;
  if (!isTexts(deliverables) || deliverables.length === 0) return null;
  return { argumentsText: JSON.stringify(rest), deliverables: [...new Set(deliverables)] };
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');
