export { CAPABILITY_CLASSES, type CapabilityClass } from './classes.ts';
export { openShell, type ParseShell } from './open-shell.ts';
export { readShell, type ShellPlace, type ShellReading } from './read-shell.ts';
