/** The parts of a system prompt in their order. The first six change rarely, the others with every message. */
export type PromptParts = Readonly<{
  identity: string;
  personality: string;
  instructions: string;
  work: string;
  machine: string;
  skills: readonly Readonly<{ name: string; text: string }>[];
  time: string;
  village: string;
  run: string;
}>;

export type SystemPrompt = Readonly<{ stable: string; situation: string }>;

/** Both halves of the prompt. `stable` depends only on the first six parts, so that a provider can cache it over all turns. */
export function systemPrompt(parts: PromptParts): SystemPrompt {
  const skills = parts.skills.toSorted(byName).map(({ name, text }) => `## ${name}\n${text.trim()}`);
  return {
    stable: sections([
      ['Identity', parts.identity],
      ['Personality', parts.personality],
      ['Instructions', parts.instructions],
      ['Work', parts.work],
      ['Machine', parts.machine],
      ['Skills', skills.join('\n\n')],
    ]),
    situation: sections([
      ['Now', parts.time],
      ['Village', parts.village],
      ['Run', parts.run],
    ]),
  };
}

const sections = (list: readonly (readonly [string, string])[]): string =>
  list.flatMap(([title, text]) => (text.trim() === '' ? [] : [`# ${title}\n${text.trim()}`])).join('\n\n');

const byName = (one: { name: string }, other: { name: string }): number =>
  one.name < other.name ? -1 : Number(one.name > other.name);
