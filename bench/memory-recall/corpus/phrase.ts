import type { Person } from './life.ts';

/** How a sentence names a person: by name, by relation, by pronoun, or by a description of its own. */
export interface Mention {
  readonly subject: string;
  readonly possessive: string;
  readonly object: string;
}

export const byText = (text: string): Mention => ({ subject: text, possessive: `${text}’s`, object: text });
export const byName = ({ name }: Person): Mention => byText(name);
export const byRelation = ({ relation }: Person): Mention => byText(`my ${relation}`);
export const byPronoun = ({ gender }: Person): Mention =>
  gender === 'she'
    ? { subject: 'she', possessive: 'her', object: 'her' }
    : { subject: 'he', possessive: 'his', object: 'him' };

/** Fills the slots of a template; throws on a slot without a text. */
export function fill(template: string, mention: Mention, slots: Readonly<Record<string, string>> = {}): string {
  const texts: Readonly<Record<string, string>> = {
    S: mention.subject,
    P: mention.possessive,
    O: mention.object,
    ...slots,
  };
  return template.replaceAll(/\{(\w)\}/g, (_, slot: string) => {
    const text = texts[slot];
    if (text === undefined) throw new Error(`no text for {${slot}} in "${template}"`);
    return text;
  });
}
