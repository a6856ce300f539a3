/** Exports only the broker's part of the contract, to keep its process small. */
export { createClient, ProblemError } from './client/create-client.ts';
export * from './routes/broker.ts';
export * from './values/egress.ts';
