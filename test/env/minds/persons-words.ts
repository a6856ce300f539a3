/** The words of a person in a message of a run, without the situation and the memories that the engine adds after it. */
export const personsWords = (content: string): string =>
  content.split(/\n\n\[(?:Situation|From memory)\]\n/, 1)[0] ?? '';
