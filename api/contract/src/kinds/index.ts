export * from './conditions.ts';
export * from './agent.ts';
export * from './egress-rules.ts';
export * from './entitlement.ts';
export * from './object-meta.ts';
export * from './schedule.ts';
export * from './skills.ts';
export { TOOL_CLASSES } from './tool-classes.ts';
export { durationMs, TimeZone } from './text.ts';
