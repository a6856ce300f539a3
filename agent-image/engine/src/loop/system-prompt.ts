/** The parts of a system prompt in their order. The first five change rarely, the others with every message. */
export type PromptParts = Readonly<{
  identity: string;
  personality: string;
  instructions: string;
  machine: string;
  skills: readonly Readonly<{ name: string; text: string }>[];
  time: string;
  place: string;
  standing: string;
  people: string;
}>;

export type SystemPrompt = Readonly<{ stable: string; situation: string }>;

/** Both halves of the prompt. `stable` depends only on the first five parts, so that a provider can cache it over all turns. */
export function systemPrompt(parts: PromptParts): SystemPrompt {
  const skills = parts.skills.toSorted(byName).map(({ name, text }) => `## ${name}\n${text.trim()}`);
  return {
    stable: sections([
      ['Identity', parts.identity],
      ['Personality', parts.personality],
      ['Instructions', parts.instructions],
      ['Machine', parts.machine],
      ['Skills', skills.join('\n\n')],
    ]),
    situation: sections([
      ['Time', parts.time],
      ['Place', parts.place],
      ['Standing', parts.standing],
      ['People', parts.people],
    ]),
  };
}

const sections = (list: readonly (readonly [string, string])[]): string =>
  list.flatMap(([title, text]) => (text.trim() === '' ? [] : [`# ${title}\n${text.trim()}`])).join('\n\n');

const byName = (one: { name: string }, other: { name: string }): number =>
  one.name < other.name ? -1 : Number(one.name > other.name);
