export { startWireServer } from './wire-server.ts';
export type { WireAnswer, WireChunk, WireRequest, WireServer } from './wire-server.ts';
export type { ScriptedAnswer } from './wires/wire.ts';
export { OPENAI_WIRE } from './wires/chat-wire.ts';
export { ANTHROPIC_WIRE } from './wires/anthropic-wire.ts';
export { RESPONSES_WIRE } from './wires/responses-wire.ts';
export { COMPLETIONS_WIRE } from './wires/completions-wire.ts';
export { ableServer } from './able-server.ts';
export type { Lack } from './able-server.ts';
