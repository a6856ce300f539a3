/** The words of a person in a message of a run, without the situation, the memories and the form of the answer that the engine adds. */
export const personsWords = (content: string): string =>
  content.split(/\n\n\[(?:Situation|From memory|Answer)\]\n/, 1)[0] ?? '';
