import { WORKFLOW_INPUT_MAX_CHARS, type Run } from '@hamlet/contract';
import { isSettled } from '@hamlet/core';
import { isOwn, type ViewerId } from '../../../client/labels.ts';
import { indentedJson } from '../../runs/indented-json.ts';
import { jsonProblem } from '../json/json-fault.ts';

/** A repetition while a person edits it. An empty `input` stands for the earlier one. */
export type RerunDraft = Readonly<{ input: string; manifests: 'same' | 'current' }>;

/** The form begins with the earlier input of the stage, or empty if that is too long or deleted. */
export const firstDraft = (input: string | null): RerunDraft => ({
  input: input === null ? '' : indentedJson(input),
  manifests: 'same',
});

/** Why a text cannot be the input of a stage; null if it can, or is empty. Pure. */
export function inputProblem(text: string): string | null {
  if (text.trim() === '') return null;
  if (text.length > WORKFLOW_INPUT_MAX_CHARS)
    return `The input has ${text.length.toLocaleString('en')} characters: write at most ${WORKFLOW_INPUT_MAX_CHARS.toLocaleString('en')}`;
  return jsonProblem(text);
}

/** The input to send; undefined for the earlier one. Pure. */
export const changedInput = ({ input }: RerunDraft, earlier: string | null): string | undefined =>
  input.trim() === '' || input === firstDraft(earlier).input ? undefined : input;

/** True if the viewer may repeat a run: an admin may repeat any ended run with a workflow, a member only their own. */
export function mayRepeat(
  run: Pick<Run, 'state' | 'workflow' | 'created_by' | 'veiled'>,
  viewer: Readonly<{ role: string; id: ViewerId }>,
): boolean {
  if (run.workflow === undefined || !isSettled(run.state) || run.veiled === true) return false;
  return viewer.role === 'admin' || (viewer.role === 'member' && isOwn(run.created_by.id, viewer.id));
}
