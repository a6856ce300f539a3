import { AGENT_NAME, MAX_AGENT_NAME_CHARS } from '@hamlet/contract';

/** The name of the Agent for a title that a person wrote: `Zoë the Baker` gives `zoe-the-baker`. Empty if no letter is left. */
export function nameFromTitle(title: string): string {
  return title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9\s_-]/g, '')
    .replaceAll(/[\s_-]+/g, '-')
    .replace(/^[0-9-]+/, '')
    .slice(0, MAX_AGENT_NAME_CHARS)
    .replace(/-$/, '');
}

/** A free name for a copy: `ada-2`, then `ada-3`. */
export function copyName(name: string, taken: ReadonlySet<string>): string {
  const stem = name.replace(/-[0-9]{1,3}$/, '');
  let number = 2;
  const candidate = (): string => {
    const end = `-${number}`;
    return `${stem.slice(0, MAX_AGENT_NAME_CHARS - end.length).replace(/-$/, '')}${end}`;
  };
  while (taken.has(candidate())) number += 1;
  return candidate();
}

/** Undefined if an Agent can have the name. */
export function nameProblem(name: string, taken: ReadonlySet<string>): string | undefined {
  if (name === '') return 'Write a name for the agent';
  if (name.length > MAX_AGENT_NAME_CHARS) return `Use at most ${MAX_AGENT_NAME_CHARS} characters`;
  if (!AGENT_NAME.test(name)) return "Use lower case letters, digits and '-', a letter first";
  return taken.has(name) ? `The village has an agent “${name}” already: choose another name` : undefined;
}
