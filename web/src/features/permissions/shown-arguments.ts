import type { Permission } from '@hamlet/contract';
import { readJson, shorten } from '@hamlet/core';
import { isJsonObject } from '../../client/json.ts';
import { visibleText } from '@hamlet/core/visible-text';
import { purchaseSummary } from './shown-purchase.ts';

/** One argument as a person reads it before the answer: complete, with every hidden character visible. */
export interface ShownArgument {
  readonly name: string;
  readonly text: string;
  /** False if the value is not a text; it is then shown as JSON. */
  readonly isText: boolean;
}

/** The arguments of a call, one by one. Text that is not a JSON object is shown complete, under an empty name. */
export function shownArguments(argumentsText: string): readonly ShownArgument[] {
  const read = readJson(argumentsText);
  if (!isJsonObject(read)) return [{ name: '', text: visibleText(argumentsText), isText: false }];
  return Object.entries(read).map(([name, value]) => ({
    name: visibleText(name),
    text: visibleText(typeof value === 'string' ? value : jsonText(value)),
    isText: typeof value === 'string',
  }));
}

function jsonText(value: unknown): string {
  const line = JSON.stringify(value);
  return line.length <= LINE_CHARS ? line : JSON.stringify(value, null, 2);
}
const LINE_CHARS = 60;

const SHORT_CHARS = 90;

/** The values of a call in one short line, for a folded call; empty if there are none. */
export function shortArguments(argumentsText: string | null): string {
  if (argumentsText === null) return '';
  return shortLine(
    shownArguments(argumentsText)
      .map(({ text }) => text.replaceAll(/\s+/g, ' ').trim())
      .filter((text) => text !== '')
      .join(' · '),
  );
}

export const shortLine = (text: string): string => shorten(text.replaceAll(/\s+/g, ' ').trim(), SHORT_CHARS);

/** A post that an agent asks to write: its arguments without the deliverables, and their ids. */
export type ShownPost = Readonly<{ argumentsText: string; deliverables: readonly string[] }>;

/** The post of a request; null unless it is a post with deliverables, and then its arguments are shown unchanged. */
export function shownPost({ tool, arguments: text }: Pick<Permission, 'tool' | 'arguments'>): ShownPost | null {
  if (tool !== 'post_to_board') return null;
  const post = readJson(text);
  if (!isJsonObject(post)) return null;
  const { deliverables, ...rest } = post;
  if (!isTexts(deliverables) || deliverables.length === 0) return null;
  return { argumentsText: JSON.stringify(rest), deliverables: [...new Set(deliverables)] };
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

/** A write to the outside as a person reads it before the answer: the content, then the facts that identify it. */
export interface ShownWrite {
  readonly summary: string;
  readonly content: readonly ShownArgument[];
  readonly facts: readonly ShownArgument[];
}

const CONTENT: Readonly<Record<string, string | undefined>> = {
  changes: 'Branches',
  details: 'Options and headers',
  body: 'Body',
};
const HOST_CONTENT: typeof CONTENT = { details: 'About the host' };
const FACTS: Readonly<Record<string, string | undefined>> = {
  host: 'Host',
  port: 'Port',
  ports: 'Ports',
  bytes: 'Length in bytes',
  call: 'Sent during call (as the pod claims)',
  sha256: 'SHA-256 of the write',
  unread_body_of: 'The body was not read; the answer holds for this request alone',
};

/** Null if the arguments are not those of a write. No field is left out. */
export function shownWrite(argumentsText: string): ShownWrite | null {
  const all = shownArguments(argumentsText);
  const summary = all.find(({ name, isText }) => name === 'summary' && isText);
  if (summary === undefined) return null;
  const rest = all.filter((each) => each !== summary);
  const changes = linesIn(argumentsText, 'changes');
  const end = `: ${changes.map(visibleText).join('; ')}`;
  const named = ({ name, ...more }: ShownArgument, word: string | undefined): ShownArgument => ({
    ...more,
    name: word ?? name,
  });
  const words = all.some(({ name }) => name === 'host') ? HOST_CONTENT : CONTENT;
  return {
    summary: changes.length > 0 && summary.text.endsWith(end) ? summary.text.slice(0, -end.length) : summary.text,
    content: rest
      .filter(({ name }) => FACTS[name] === undefined)
      .map((each) => named(linesOf(argumentsText, each), words[each.name])),
    facts: rest
      .filter(({ name }) => FACTS[name] !== undefined)
      .map((each) => named(portsOf(argumentsText, each), FACTS[each.name])),
  };
}

function linesOf(argumentsText: string, shown: ShownArgument): ShownArgument {
  const lines = linesIn(argumentsText, shown.name);
  return lines.length === 0 ? shown : { ...shown, text: lines.map(visibleText).join('\n'), isText: false };
}

/** The ports of a host as a person writes them: `80 and 443`. */
function portsOf(argumentsText: string, shown: ShownArgument): ShownArgument {
  if (shown.name !== 'ports') return shown;
  const { ports } = JSON.parse(argumentsText) as Readonly<Record<string, unknown>>;
  return isPorts(ports) ? { ...shown, text: ports.join(' and ') } : shown;
}

const isPorts = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.length > 0 && value.every(Number.isInteger);

/** The lines of a field as the broker writes them, such as the references of a push; none for another field. */
function linesIn(argumentsText: string, name: string): readonly string[] {
  if (name !== 'changes' && name !== 'details') return [];
  const lines = (JSON.parse(argumentsText) as Readonly<Record<string, unknown>>)[name];
  return isTexts(lines) ? lines : [];
}

/** The fields of a call that asks a person, in the order in which they are read, with their names. */
interface CallForm {
  readonly summary: string;
  readonly content: Readonly<Record<string, string>>;
}

const CALL_FORMS: Readonly<Record<string, CallForm | undefined>> = {
  edit_file: { summary: 'path', content: { old_text: 'Replaces', new_text: 'With' } },
  write_file: { summary: 'path', content: { content: 'Writes' } },
  post_to_board: { summary: 'title', content: { body: 'Text' } },
  call_agent: { summary: 'agent', content: { message: 'Message', task: 'Task' } },
  program_act: { summary: 'title', content: { input: 'With', paths: 'In' } },
};

/** A purchase, a change of a file, a post, a message to an agent of another system, or an act of a program, as a person reads it before the answer; null for another call. No field is left out. */
export function shownCall(tool: string, argumentsText: string): ShownWrite | null {
  const form = CALL_FORMS[tool];
  const all = shownArguments(argumentsText);
  const purchase = purchaseSummary(tool, argumentsText);
  if (purchase !== null) return { summary: purchase, content: [], facts: all };
  const summary = all.find(({ name, isText }) => name === form?.summary && isText);
  if (form === undefined || summary === undefined) return null;
  const content = Object.entries(form.content).flatMap(([name, word]) =>
    all.filter((each) => each.name === name).map((each) => ({ ...each, name: word })),
  );
  const facts = all.filter((each) => each !== summary && form.content[each.name] === undefined);
  return { summary: summary.text, content, facts };
}
