import type { RunContext, RunContextPart } from '@hamlet/contract';
import { toolLabel } from '../../permissions/tool-labels.ts';

const PART_LABELS: Readonly<Record<RunContextPart['source'], string>> = {
  instructions: 'Instructions',
  situation: 'Situation',
  tools: 'Descriptions of its tools',
  history: 'Earlier work in this conversation',
  summary: 'Summary of what came before',
  kept: 'Notes of its tools from before the summary',
  message: 'The task',
  memory: 'Memories',
  schema: 'Form of the answer',
  answer: 'Its answer',
  result: 'Result of a call',
};

/** The name of a part: `Result of “Run a command”`. */
export const partLabel = ({ source, tool }: Pick<RunContextPart, 'source' | 'tool'>): string =>
  source === 'result' && tool !== null ? `Result of “${toolLabel(tool).word}”` : PART_LABELS[source];

const FORM_LABELS: Readonly<Record<RunContextPart['form'], string>> = {
  whole: '',
  shortened: 'only excerpts',
  left_out: 'left out: there was no room',
};

const numbered = (tokens: number): string => `${tokens.toLocaleString('en')} ${tokens === 1 ? 'token' : 'tokens'}`;

/** `about 1,204 tokens · only excerpts`. */
export function partFacts({ source, form, tokens }: RunContextPart): string {
  const size = tokens === null || form === 'left_out' ? '' : numbered(tokens);
  const about = size === '' || source === 'answer' ? size : `about ${size}`;
  return [about, FORM_LABELS[form]].filter((part) => part !== '').join(' · ');
}

const omittedLabel = (omitted: number): string =>
  omitted === 1 ? '1 older answer or result is not listed.' : `${omitted} older answers and results are not listed.`;

/** A sentence about the whole request. */
export function contextSummary({ prompt_tokens: tokens, parts, omitted }: RunContext): string {
  const size = tokens === null ? '' : `, ${numbered(tokens)} by its provider's count`;
  const older = omitted === 0 ? '' : ` ${omittedLabel(omitted)}`;
  return `Before this answer the model read ${parts.length === 1 ? '1 part' : `${parts.length} parts`}${size}, in this order.${older}`;
}

/** Why a part shows no text; null if it shows one or another place has it. */
export function missingText({ source, form, text }: RunContextPart): string | null {
  if (text !== null || form === 'left_out' || source === 'history' || source === 'tools') return null;
  return source === 'kept'
    ? 'The village does not keep this text.'
    : 'The text was deleted, or only the people of this run may read it.';
}
