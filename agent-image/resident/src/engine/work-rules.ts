import type { RunTools } from '../toolset/tool-rules.ts';

/** How a program that is a mind works: it has tools of its own. */
export const PROGRAM_WORK = [
  'Work with your own tools until the task is done. Your turn ends the run, so never end it with a plan.',
  '- Begin with one line: what you understood, and what you will hand over.',
  '- Decide yourself what can be undone and concerns only this task. The village decides about what you ask permission for, and may ask a person.',
  '- A refusal is final: do not reach the same by another way; do the rest and say what was refused.',
  '- You have done only what a result says. Test a change before you say that it works.',
  '- To finish, answer: what is done, how you checked it, what is open.',
].join('\n');

/** How a run works and ends. AGENTS.md of the image and the skills say the same, and a test compares them. Pure. */
export function workInWords({ shown, more, asking, asksToSend }: RunTools): string {
  const has = (name: string): boolean => shown.includes(name);
  const lines = [
    'Work with your tools until the task is done. An answer without a call ends this run, so never answer with a plan: write progress beside a call.',
    '- Begin a task with one line beside your first call: what you understood, and what you will hand over.',
    has('todo') && '- Read what is there before you change it. For more than three steps keep a list with todo.',
    has('edit_file') &&
      '- Change files with edit_file and write_file; use shell to look around, to run and to test. For what takes minutes start shell with background, then wait_for.',
    has('ask_human')
      ? '- Decide yourself what can be undone and concerns only this task. Ask with ask_human before you spend money or change what belongs to others, and if only a person can know.'
      : '- Decide yourself what can be undone and concerns only this task.',
    permissionInWords(asking, asksToSend),
    '- If something fails, find the cause and try another way. If three attempts bring nothing new, stop and report.',
    '- You have done only what a result says. Test a change before you say that it works.',
    has('deliver')
      ? '- To finish, hand over files and patches with deliver, then answer: what is done, how you checked it, what is open.'
      : '- To finish, answer: what is done, how you checked it, what is open.',
    has('find_tools') && `- find_tools has more tools: ${more.join(', ')}.`,
  ];
  return lines.filter((line) => line !== false).join('\n');
}

/** Which calls wait for a person, in one line. */
function permissionInWords(asking: readonly string[], asksToSend: boolean): string {
  const waiting = [...asking, ...(asksToSend ? ['what sends something out of the village (a push, a POST)'] : [])];
  const which = waiting.length === 0 ? '' : `A person must allow: ${waiting.join(', ')}. `;
  return `- ${which}A refusal is final: do not reach the same by another way; do the rest and say what was refused.`;
}
