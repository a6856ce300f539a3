import { z } from 'zod';

const Worded = z.object({ text: z.string() });
const Wrong = z.object({ issues: z.array(z.object({ path: z.string(), expected: z.string() })).min(1) });

/** The words of an outcome, which the agent's journal keeps as JSON. Returns any other text unchanged. Pure. */
export function outcomeInWords(text: string): string {
  let outcome: unknown;
  try {
    outcome = JSON.parse(text);
  } catch {
    return text;
  }
  const worded = Worded.safeParse(outcome);
  if (worded.success) return worded.data.text;
  const wrong = Wrong.safeParse(outcome);
  if (!wrong.success) return text;
  return wrong.data.issues.map(({ path, expected }) => (path === '' ? expected : `${path}: ${expected}`)).join('\n');
}

/** The words of a result that an agent's journal keeps as a plain text: a JSON string stands for its text. Pure. */
export function plainInWords(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
