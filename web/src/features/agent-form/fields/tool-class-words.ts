import type { TOOL_CLASSES } from '@hamlet/contract';

type ToolClass = (typeof TOOL_CLASSES)[number];

/** The classes of tools as a person attaches them, in the order of the form. */
export const TOOL_CLASS_WORDS: Readonly<Record<ToolClass, string>> = {
  read: 'Look around and read',
  speak: 'Speak with others',
  act: 'Walk and handle things',
  publish: 'Write on the board',
  spend: 'Spend money',
  persona: 'Change its own personality',
  schedule: 'Propose schedules',
  exec: 'Run commands',
  write_inside: 'Change files in its workspace',
  write_outside: 'Change files outside of its workspace',
  network: 'Use the network',
  send: 'Send something out of the village',
  install: 'Install packages',
  delegate: 'Hand work to helpers',
};
