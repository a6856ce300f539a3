export { CAPABILITY_CLASSES, type CapabilityClass } from './classes.ts';
export { createKnownClasses, readCommandOf, type KnownClasses } from './command-reader.ts';
export { openShell, type ParseShell } from './open-shell.ts';
export { readShell, type ShellPlace, type ShellReading } from './read-shell.ts';
