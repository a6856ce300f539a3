export { startWireServer } from './wire-server.ts';
export type { WireAnswer, WireChunk, WireMatcher, WireRequest, WireServer, WireStep } from './wire-server.ts';
export { conformAdapter } from './conformance/conform-adapter.ts';
export { PLAIN_REQUEST, RICH_REQUEST, TEST_KEY } from './conformance/bench.ts';
export type { AdapterSubject } from './conformance/bench.ts';
export type { ReportedCode, ScriptedAnswer, ScriptedCall, Wire } from './wires/wire.ts';
export { OPENAI_WIRE, OPENROUTER_WIRE, VLLM_WIRE } from './wires/chat-wire.ts';
export { ANTHROPIC_WIRE } from './wires/anthropic-wire.ts';
export { OLLAMA_WIRE } from './wires/ollama-wire.ts';
