/** Exports only what the broker needs, so that its process stays small. */
export { createClient, ProblemError } from './client/create-client.ts';
export * from './routes/broker.ts';
export * from './values/egress.ts';
