/**
 * The capabilities that a program needs. `exec` runs code that this package does not analyse; `publish` makes something
 * visible to others; `delegate` starts work of another agent.
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
