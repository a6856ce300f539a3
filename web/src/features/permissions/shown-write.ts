import { shownArguments, visibleText, type ShownArgument } from './shown-arguments.ts';

/** A write that leaves a pod, as a person reads it before they answer: what is sent, then the facts that identify it. */
export interface ShownWrite {
  readonly summary: string;
  readonly content: readonly ShownArgument[];
  readonly facts: readonly ShownArgument[];
}

const CONTENT: Readonly<Record<string, string | undefined>> = { changes: 'Branches', body: 'Body' };
const FACTS: Readonly<Record<string, string | undefined>> = {
  bytes: 'Length in bytes',
  call: 'Sent during call',
  sha256: 'SHA-256 of the write',
  unread_body_of: 'The body was not read; the answer holds for this request alone',
};

/** Null if the arguments are not those of a write. Every field of the arguments is shown. */
export function shownWrite(argumentsText: string): ShownWrite | null {
  const all = shownArguments(argumentsText);
  const summary = all.find(({ name, isText }) => name === 'summary' && isText);
  if (summary === undefined) return null;
  const rest = all.filter((each) => each !== summary);
  const changes = changesIn(argumentsText);
  // The references stand below it.
  const end = `: ${changes.map(visibleText).join('; ')}`;
  const named = ({ name, ...more }: ShownArgument, word: string | undefined): ShownArgument => ({
    ...more,
    name: word ?? name,
  });
  return {
    summary: changes.length > 0 && summary.text.endsWith(end) ? summary.text.slice(0, -end.length) : summary.text,
    content: rest
      .filter(({ name }) => FACTS[name] === undefined)
      .map((each) => named(each.name === 'changes' ? linesOf(argumentsText, each) : each, CONTENT[each.name])),
    facts: rest.filter(({ name }) => FACTS[name] !== undefined).map((each) => named(each, FACTS[each.name])),
  };
}

/** The references of a push, a line for each. */
function linesOf(argumentsText: string, shown: ShownArgument): ShownArgument {
  const changes = changesIn(argumentsText);
  return changes.length === 0 ? shown : { ...shown, text: changes.map(visibleText).join('\n'), isText: false };
}

/** The references of a push as the broker writes them; none for another write. */
function changesIn(argumentsText: string): readonly string[] {
  const { changes } = JSON.parse(argumentsText) as { readonly changes?: unknown };
  return Array.isArray(changes) && changes.every((each) => typeof each === 'string') ? changes : [];
}
