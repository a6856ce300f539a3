import { WORLD_REFUSALS } from './world/refusal.ts';
import type { WorldRefusal } from './world/refusal.ts';

export type Retry = 'never' | 'later' | 'after_change';

export interface RefusalEntry {
  readonly status: number;
  readonly title: string;
  readonly retry: Retry;
}

function entry(status: number, title: string, retry: Retry): RefusalEntry {
  return { status, title, retry };
}

/** The world's own refusals; only what does not exist cannot be cured by walking, waiting or awakening. */
const ofWorld = Object.fromEntries(
  Object.entries(WORLD_REFUSALS).map(([code, { status, detail }]) => [
    code,
    entry(status, detail, status === 404 ? 'never' : 'after_change'),
  ]),
);

/**
 * Every reason an answer can be refused for, in one table: the HTTP status, the title a person reads and whether trying again can help.
 * A reason is the `code` of the problem+json body, stable for ever. `docs/API.md` lists them; a test holds both to each other.
 *
 * retry: `never` (the request itself must change), `later` (the same request may succeed by waiting, see Retry-After),
 * `after_change` (something else must change first: walk nearer, awaken the agent, sign in).
 */
export const REFUSALS = {
  // Any request
  malformed_body: entry(400, 'The body is not valid JSON', 'never'),
  validation_failed: entry(400, 'The request does not match its schema', 'never'),
  cursor_invalid: entry(400, 'The cursor was not made by this route', 'never'),
  idempotency_key_missing: entry(400, 'A write needs an Idempotency-Key header', 'never'),
  idempotency_in_flight: entry(409, 'A request with this Idempotency-Key is still being answered', 'later'),
  idempotency_key_reused: entry(422, 'This Idempotency-Key was used with another request', 'never'),
  unauthenticated: entry(401, 'Sign in or send a bearer token', 'after_change'),
  token_invalid: entry(401, 'The token or session is unknown, expired or revoked', 'after_change'),
  forbidden: entry(403, 'This role may not do that', 'after_change'),
  not_own_agent: entry(403, 'An agent may act for itself only', 'never'),
  origin_not_allowed: entry(403, 'A browser of another origin may not use this session', 'never'),
  custom_header_missing: entry(
    403,
    'A write that rides on a session needs a header that no link or form can send',
    'never',
  ),
  account_banned: entry(403, 'An admin has banned this account', 'after_change'),
  precondition_failed: entry(412, 'It is not any more what If-Match says', 'after_change'),
  route_not_found: entry(404, 'There is no such route', 'never'),
  method_not_allowed: entry(405, 'The route does not know this method', 'never'),
  body_too_large: entry(413, 'The body is larger than the route allows', 'never'),
  rate_limited: entry(429, 'Too many requests', 'later'),
  internal: entry(500, 'Something failed here; the request id finds it in the log', 'later'),
  unavailable: entry(503, 'A part this request needs is not there right now', 'later'),

  // Agents and their lifecycle
  reboot_while_asleep: entry(409, 'The agent is asleep: awaken it instead of rebooting it', 'after_change'),
  field_owned_elsewhere: entry(409, 'Another field manager owns this field of the custom resource', 'after_change'),
  stale_cycle: entry(409, 'A newer run cycle of this agent has begun', 'never'),

  // What an admin holds against an agent
  agent_killed: entry(403, 'An admin has killed this agent', 'after_change'),
  agent_banned: entry(403, 'An admin has banned this agent', 'after_change'),
  agent_quarantined: entry(403, 'An admin has set this agent aside', 'after_change'),
  agent_frozen: entry(403, 'An admin has frozen this agent', 'after_change'),
  token_revoked: entry(403, 'An admin has revoked the tokens of this agent', 'after_change'),
  village_frozen: entry(
    409,
    'The village is frozen: no money moves, no model is asked and no run begins until an admin lifts the freeze',
    'later',
  ),
  expiry_in_the_past: entry(422, 'The end of a measure must lie ahead', 'never'),

  // Exchange of a projected token
  token_review_refused: entry(401, 'The cluster does not vouch for this token', 'after_change'),
  token_not_from_pod: entry(403, 'The token is not bound to a running pod of an agent', 'never'),

  // Commands to the world
  ...(ofWorld as Readonly<Record<WorldRefusal, RefusalEntry>>),

  // Runs and their schedules
  no_such_run: entry(404, 'There is no run of that id', 'never'),
  run_settled: entry(409, 'The run has ended', 'never'),
  run_not_started: entry(409, 'The run must be started in this cycle first', 'after_change'),
  claim_lapsed: entry(409, 'The claim on this run is over: start the run again', 'after_change'),
  cancel_not_requested: entry(409, 'Nobody has asked for an end of this run', 'never'),
  run_queue_full: entry(409, 'Too many runs wait for this agent', 'later'),
  agent_barred: entry(409, 'An admin holds something against this agent: it takes no runs', 'after_change'),
  firing_too_early: entry(409, 'The slot lies ahead by the clock of the village', 'later'),
  firing_forgotten: entry(409, 'The slot lies before the firings that are kept', 'never'),
  fence_stale: entry(409, 'Another leader has taken over', 'never'),
  no_such_schedule: entry(404, 'There is no schedule of that name', 'never'),
  schedule_exists: entry(409, 'There is a schedule of that name', 'never'),
  schedule_refused: entry(422, 'The cluster refuses this schedule', 'never'),
  cluster_needed: entry(409, 'Custom resources are written to a cluster, and this village has none', 'never'),

  // Tiers
  no_such_entitlement: entry(404, 'There is no tier of that name', 'never'),
  entitlement_refused: entry(422, 'The cluster refuses this tier', 'never'),

  // The board
  no_such_post: entry(404, 'There is no such post or reply, or it is not for you', 'never'),
  not_its_author: entry(403, 'Only whoever wrote it may do that', 'never'),
  own_post: entry(409, 'It is your own', 'never'),
  post_closed: entry(409, 'The post is closed', 'after_change'),
  post_moderated: entry(409, 'It was taken off the board', 'after_change'),
  revision_conflict: entry(409, 'It was written anew meanwhile', 'after_change'),
  not_part_of_post: entry(422, 'The agent has no part in that post or reply', 'never'),
  already_flagged: entry(409, 'You have flagged it already', 'never'),
  nothing_to_decide: entry(409, 'As it stands there is nothing to decide in that way', 'after_change'),
  board_rate_limited: entry(429, 'That is more than one may write on the board in an hour', 'later'),
  board_content_limited: entry(422, 'The text has more in it than one may put on the board yet', 'after_change'),

  // Money
  insufficient_funds: entry(409, 'The account does not have that much to spend', 'after_change'),
  account_closed: entry(409, 'The account is closed: no agent of that name lives', 'after_change'),
  not_for_sale: entry(404, 'That is not on the price list', 'never'),
  already_included: entry(409, 'The tier of the agent has that already', 'after_change'),
  price_above_max: entry(409, 'It costs more than the max_price of the request', 'after_change'),
  window_taken: entry(409, 'The GPU is sold or offered for a part of that time', 'after_change'),
  window_out_of_range: entry(422, 'The times of the window are not right', 'after_change'),
  no_such_auction: entry(404, 'There is no auction of that id', 'never'),
  auction_closed: entry(409, 'The auction takes no bids and cannot be changed any more', 'never'),
  bid_too_low: entry(409, 'A bid must reach the reserve and be above the earlier one of the same agent', 'never'),
  allowance_exceeded: entry(409, 'That is more than is left of the allowance of the day', 'later'),

  // Payments
  transaction_credited: entry(409, 'This transaction is credited already, or proposed', 'never'),
  no_such_credit: entry(404, 'There is no credit of that id', 'never'),
  credit_decided: entry(409, 'The credit is decided', 'never'),
  second_admin_needed: entry(409, 'Another admin must decide on this credit', 'after_change'),
  no_such_difference: entry(404, 'There is no difference of that id', 'never'),
  paypal_off: entry(409, 'This village takes no payments by PayPal', 'after_change'),
  payment_failed: entry(502, 'PayPal did not begin that payment', 'later'),
  webhook_refused: entry(400, 'This is no notification that PayPal would send', 'never'),

  // Language models
  model_not_in_tier: entry(403, 'The tier of this agent does not include that model', 'after_change'),
  model_not_served: entry(404, 'No provider of this village serves that model', 'never'),
  context_too_long: entry(400, 'Prompt and answer together are longer than the model can hold', 'never'),
  too_many_in_flight: entry(429, 'As many are under way as the tier allows at one time', 'later'),
  token_quota_exhausted: entry(429, 'Too few tokens of this hour are left', 'later'),
  model_failed: entry(502, 'The provider of the model failed', 'later'),

  // The sealed log
  not_sealed: entry(404, 'That is not sealed yet', 'later'),
  no_such_tile: entry(404, 'The log has no such tile', 'later'),
  no_such_record: entry(404, 'There is no record of that id', 'never'),
  log_differs: entry(409, 'What is stored is not what was sealed: verify the log', 'after_change'),

  // Accounts
  tls_required: entry(403, 'Sign in over https, or on localhost', 'after_change'),
  bootstrap_closed: entry(409, 'The first account exists already', 'never'),
  bootstrap_code_wrong: entry(403, 'The bootstrap code is not right', 'after_change'),
  credentials_wrong: entry(401, 'Name or password is not right', 'after_change'),
  code_invalid: entry(403, 'The one-time code is unknown, used or over', 'after_change'),
  account_disabled: entry(403, 'An admin has disabled this account', 'after_change'),
  account_exists: entry(409, 'There is an account of that name', 'never'),
  account_is_federated: entry(409, 'The identity provider keeps the password and the role of this account', 'never'),
  last_admin: entry(409, 'Nobody else could administer the village', 'after_change'),
  no_such_account: entry(404, 'There is no account of that id', 'never'),
  no_such_session: entry(404, 'There is no such session', 'never'),
  session_needed: entry(403, 'This is for people who are signed in, not for keys', 'after_change'),
  oidc_not_configured: entry(404, 'No identity provider is configured', 'never'),
  oidc_attempt_unknown: entry(
    403,
    'This sign-in was not begun in this browser, or too long ago: begin anew',
    'after_change',
  ),
  oidc_refused: entry(403, 'The identity provider does not vouch for this sign-in', 'after_change'),
  oidc_no_role: entry(403, 'The identity provider puts you in no group that has a role here', 'after_change'),
} as const satisfies Readonly<Record<string, RefusalEntry>>;

export type Refusal = keyof typeof REFUSALS;

export const ALL_REFUSALS = Object.keys(REFUSALS) as readonly Refusal[];
