import {
  JsonText,
  RUN_PROMPT_MAX_CHARS,
  WORKFLOW_INPUT_MAX_CHARS,
  WORKFLOW_TAGS_MAX,
  type WorkflowRequest,
} from '@hamlet/contract';
import type { Reading } from '../../../client/drafts.ts';
import { jsonProblem } from '../../workflow/json/json-fault.ts';

/** The fields of a task for a workflow while a person writes it. */
export interface StartDraft {
  readonly kind: 'text' | 'json';
  readonly text: string;
  readonly json: string;
  readonly pipeline: string;
  readonly mode: string;
  readonly tags: string;
}

export const EMPTY_START: StartDraft = { kind: 'text', text: '', json: '{}', pipeline: '', mode: '', tags: '' };

type StartProblems = Readonly<Partial<Record<keyof StartDraft, string>>>;
type StartBody = Readonly<{ prompt: string; workflow: WorkflowRequest }>;

/** Longest name that people see for a task with an input in JSON. */
const NAME_MAX_CHARS = 200;

/** The body of `createRun`, or the problems of the fields. `workflowId` names a task whose input is JSON. */
export function readStart(draft: StartDraft, workflowId: string): Reading<{ body: StartBody }, StartProblems> {
  const tags = tagsOf(draft.tags);
  const problems: StartProblems = {
    ...inputProblem(draft),
    ...(tags.length > WORKFLOW_TAGS_MAX && { tags: `Write at most ${WORKFLOW_TAGS_MAX} tags` }),
    ...(tags.some((tag) => tag.length > TAG_MAX_CHARS) && { tags: `Write at most ${TAG_MAX_CHARS} characters a tag` }),
  };
  if (Object.keys(problems).length > 0) return { ok: false, problems };
  const [pipeline, mode] = [draft.pipeline.trim(), draft.mode.trim()];
  const { prompt, ...input } = inputOf(draft, workflowId);
  const workflow: WorkflowRequest = {
    ...(pipeline !== '' && { pipeline }),
    ...(mode !== '' && { mode }),
    ...(tags.length > 0 && { tags: [...tags] }),
    ...input,
  };
  return { ok: true, body: { prompt, workflow } };
}

const TAG_MAX_CHARS = 64;

const tagsOf = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
];

function inputProblem({ kind, text, json }: StartDraft): StartProblems {
  if (kind === 'text') {
    if (text.trim() === '') return { text: 'Write the input of the task' };
    return JSON.stringify(text).length > WORKFLOW_INPUT_MAX_CHARS ? { text: TOO_LONG } : {};
  }
  if (json.length > WORKFLOW_INPUT_MAX_CHARS) return { json: TOO_LONG };
  return JsonText.safeParse(json).success ? {} : { json: jsonProblem(json) ?? 'Write a JSON value' };
}

const TOO_LONG = `Write at most ${WORKFLOW_INPUT_MAX_CHARS.toLocaleString('en')} characters`;

/** A text that is short enough is the prompt itself, trimmed. */
function inputOf(
  { kind, text, json }: StartDraft,
  workflowId: string,
): Readonly<{ prompt: string; input_json?: string }> {
  if (kind === 'json') return { prompt: shortened(`${workflowId}: ${json.replaceAll(/\s+/g, ' ')}`), input_json: json };
  const trimmed = text.trim();
  return trimmed.length <= RUN_PROMPT_MAX_CHARS
    ? { prompt: trimmed }
    : { prompt: shortened(trimmed), input_json: JSON.stringify(trimmed) };
}

const shortened = (text: string): string =>
  text.length <= NAME_MAX_CHARS ? text : `${text.slice(0, NAME_MAX_CHARS - 1).toWellFormed()}…`;
