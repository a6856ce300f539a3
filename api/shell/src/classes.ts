/**
 * The capabilities that a program needs. `exec` runs code that this package does not read; `publish` sends something
 * to where others see it; `delegate` starts another agent's work.
 */
export const CAPABILITY_CLASSES = [
  'read',
  'write_inside',
  'write_outside',
  'exec',
  'network',
  'install',
  'publish',
  'spend',
  'speak',
  'delegate',
] as const;
export type CapabilityClass = (typeof CAPABILITY_CLASSES)[number];
