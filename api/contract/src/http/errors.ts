import { z } from 'zod';
import { WORLD_REFUSALS, type WorldRefusal } from '../world/refusal.ts';

export type Retry = 'never' | 'later' | 'after_change';

export interface RefusalEntry {
  readonly status: number;
  readonly title: string;
  readonly retry: Retry;
}

const never = (status: number, title: string): RefusalEntry => ({ status, title, retry: 'never' });
const later = (status: number, title: string): RefusalEntry => ({ status, title, retry: 'later' });
const afterChange = (status: number, title: string): RefusalEntry => ({ status, title, retry: 'after_change' });

/** With status 404, a thing does not exist. After any other refusal, walking, waiting or awakening may help. */
const ofWorld = Object.fromEntries(
  Object.entries(WORLD_REFUSALS).map(([code, { status, detail }]) => [
    code,
    status === 404 ? never(status, detail) : afterChange(status, detail),
  ]),
);

/** Every refusal by its code, which never changes. The title says what failed, then the fix. `later`: retry later. */
export const REFUSALS = {
  // Any request
  malformed_body: never(400, 'The body is not valid JSON: send valid JSON'),
  validation_failed: never(400, 'The request does not match the schema of this route: correct the fields in errors'),
  cursor_invalid: never(400, 'This route did not make the cursor: begin again without a cursor'),
  idempotency_key_missing: never(400, 'The Idempotency-Key header is missing: send one, new for each intent'),
  idempotency_in_flight: later(409, 'A request with this Idempotency-Key is still running: repeat it in a moment'),
  idempotency_key_reused: never(422, 'This Idempotency-Key belongs to another request: use a new key'),
  unauthenticated: afterChange(401, 'The request needs a credential: sign in or send a bearer token'),
  token_invalid: afterChange(401, 'The token or session is unknown, expired or revoked: get a new one'),
  forbidden: afterChange(403, 'Your role may not do this: ask an admin'),
  not_own_agent: never(403, 'An agent may act only for itself: use the id of the agent that the token belongs to'),
  origin_not_allowed: never(403, 'The request comes from a page of another origin: send it from a page of this host'),
  custom_header_missing: never(403, 'A write with a cookie needs a header: Idempotency-Key or X-Hamlet-Request: 1'),
  account_banned: afterChange(403, 'An admin has banned this account: wait until the ban ends or ask an admin'),
  precondition_failed: afterChange(
    412,
    'The object has changed since the etag in If-Match: read it again and repeat with its new etag',
  ),
  route_not_found: never(404, 'No route has this path: see /api/v1/docs'),
  method_not_allowed: never(405, 'The route does not support this method: see the Allow header'),
  body_too_large: never(413, 'The body is larger than the route allows: send less'),
  rate_limited: later(429, 'Too many requests: wait for the time in Retry-After'),
  internal: later(500, 'The API failed unexpectedly: repeat the request, then give its request id to an operator'),
  unavailable: later(503, 'A service that this request needs is unavailable: retry after the time in Retry-After'),

  // Agents and their lifecycle
  reboot_while_asleep: afterChange(409, 'The agent is asleep: awaken it instead of rebooting it'),
  field_owned_elsewhere: afterChange(
    409,
    'Another field manager owns the field: change it there, or send on_conflict=take_over',
  ),
  agent_exists: never(409, 'An agent of this name exists: choose another name, or change that one'),
  agent_changed: afterChange(412, 'The agent has changed since it was read: read it again and repeat the change'),
  not_confirmed: never(422, 'The confirmation is not the id of the agent: write that id in confirm'),
  invalid_agent: never(422, 'The agent is not valid: correct the fields that errors names'),
  stale_cycle: never(409, 'A newer run cycle of this agent has begun: end this process'),

  // Settings of the village
  invalid_setting: never(422, 'The setting does not take this value: correct it as the detail says'),

  // Measures against an agent
  agent_killed: afterChange(403, 'An admin has killed this agent: an admin must lift the kill first'),
  agent_banned: afterChange(403, 'An admin has banned this agent: wait for the end of the ban or let an admin lift it'),
  agent_quarantined: afterChange(403, 'An admin has quarantined this agent: an admin must lift the quarantine first'),
  agent_frozen: afterChange(403, 'An admin has frozen this agent: an admin must lift the freeze first'),
  token_revoked: afterChange(403, 'An admin has revoked the tokens of this agent: an admin must lift that first'),
  village_frozen: later(
    409,
    'The village is frozen: no money moves, no agent acts, no model answers and no run begins until an admin lifts the freeze',
  ),
  expiry_in_the_past: never(422, 'The measure would end in the past: send a later expires_at, or leave it out'),

  // Exchange of a projected token
  token_review_refused: afterChange(
    401,
    "The cluster refuses this token: send the pod's token for the audience hamlet-api",
  ),
  token_not_from_pod: never(403, 'The token is not bound to a running pod of an agent: send the token of such a pod'),

  // Commands to the world
  ...(ofWorld as Readonly<Record<WorldRefusal, RefusalEntry>>),

  // Runs and their schedules
  no_such_run: never(404, 'No run has this id: list the runs to find it'),
  run_settled: never(409, 'The run has ended: create another one'),
  run_budget_spent: never(402, 'The run has used its budget: end it, and continue the work in another run'),
  budget_too_high: never(422, 'A run may have at most as much left as a new run of its agent: ask for less'),
  run_not_started: afterChange(409, 'The run has not been started in this cycle: start it first'),
  claim_lapsed: afterChange(409, 'The lease on this run has lapsed: start the run again'),
  run_parked: later(409, 'The run waits for its model: start it at the time that the run names'),
  run_waiting: later(
    409,
    'The run waits for a permission: start it once a person has answered or the permission has expired',
  ),
  journal_diverged: never(
    409,
    'The entries contradict the stored journal: restore the journal from GET /agents/{agent_id}/journal',
  ),
  journal_full: later(409, 'The journals of the unfinished runs are full: end a run, then repeat the request'),
  cancel_not_requested: never(409, 'There is no cancel request for this run: end it as done or failed'),
  run_queue_full: later(409, 'Too many runs wait for this agent: wait until some have ended, or cancel some'),
  agent_barred: afterChange(409, 'An admin has taken a measure against this agent: let an admin lift it first'),
  no_such_offer: never(404, 'The run has no offer: reward the agent instead'),
  offer_not_yours: never(403, 'Another person has made this offer: only that person accepts or refuses the result'),
  offer_ended: never(409, 'The offer has ended: list the offers to see how'),
  output_schema_invalid: never(400, 'The output schema cannot be compiled: correct it where the detail says'),
  run_under_way: later(409, 'The run has not ended: wait for its result, or cancel it'),
  session_terminated: never(409, 'The session has ended: open another one'),
  session_paused: afterChange(409, 'The session is paused: let a person of the session resume it'),
  earlier_message_open: later(409, 'An earlier message of the session is not answered yet: work on that one first'),
  session_queue_full: later(409, 'Too many messages of this session wait: wait until the agent has answered some'),
  session_full: never(409, 'The session has reached its limit of messages: open another one'),
  too_many_sessions: afterChange(409, 'Too many sessions with this agent are open: end some that you do not need'),
  too_many_people: afterChange(409, 'The session has reached its limit of people: open another one'),
  not_session_creator: never(403, 'Only its creator or an admin may remove others from a session: ask one of them'),
  last_person: afterChange(409, 'A session needs at least one person: end the session instead'),
  repository_not_allowed: afterChange(
    403,
    "The village's list of repositories does not name this one for you: ask an admin to list it for you",
  ),
  no_such_person: never(404, 'No person of this village has that name: correct the name'),
  firing_too_early: later(409, "The slot is in the future by the village's clock: send the firing when it is due"),
  firing_forgotten: never(409, 'The slot is older than the firings that the village keeps: send only newer slots'),
  fence_stale: never(409, 'Another leader has taken over: stop acting as the leader'),
  no_such_schedule: never(404, 'No schedule has this name: list the schedules to find it'),
  schedule_exists: never(409, 'A schedule of this name exists: choose another name, or change that one'),
  schedule_refused: never(422, 'The cluster refuses this schedule: correct the field that the detail names'),
  cluster_needed: never(409, 'This village runs without a cluster, so it has no custom resources: run it on a cluster'),

  // Permissions and calls
  no_such_permission: never(404, 'No permission has this id: list the permissions to find it'),
  permission_not_yours: afterChange(403, 'The run is not yours: let its creator or an admin answer'),
  no_such_allow_rule: never(404, 'No allow rule has this id: list the rules to find it'),
  allow_rule_not_yours: afterChange(403, 'Another person created this rule: let them or an admin revoke it'),
  permission_answered: never(409, 'A person has given another answer already: read the permission'),
  permission_expired: never(409, 'The permission has expired: let the agent ask again'),
  permission_stale: never(409, 'The rules or the run have changed since the request: let the agent ask again'),
  permission_needed: afterChange(409, "The rules require a person's permission for this call: request one first"),
  permission_pending: later(409, 'No person has answered the request for this call yet: let the run wait'),
  too_many_permissions: never(409, 'The run has asked for too many permissions: end it'),
  arguments_differ: never(409, 'The permission is for another tool or other arguments: request one for this call'),
  call_diverged: never(409, 'This call id was used with another tool or other arguments: use a new call id'),
  no_such_call: never(404, 'The API does not know this call of the run: report its start first'),
  no_such_skill: never(404, 'The agent or the run does not have this skill: name it in spec.skills'),
  no_repository: never(409, 'The run does not work in a repository: use the memory of the agent'),
  no_such_memory: never(404, 'This memory does not exist, or is not for you: list the memories to find one'),
  memory_of_everybody: afterChange(403, 'Everybody may know this memory, so only an admin may change it: ask one'),
  memory_not_correctable: never(409, 'Words and deeds stay as they were: forget this memory, or correct a fact'),
  memory_replaced: never(409, 'Another memory has replaced this one: correct the newer one'),
  too_many_memory_changes: later(
    429,
    'The agent has not applied the earlier changes of its memory: wait until it is awake',
  ),
  memory_writes_limited: later(429, 'The agent has reached its limit of memory changes for this hour: wait'),
  too_many_memories: afterChange(
    409,
    'Too many repositories have a memory: let a person delete those that are not needed',
  ),
  no_manifests: afterChange(
    409,
    'The agent has no workflow: write its manifests, or name a ConfigMap in spec.manifests',
  ),
  manifests_unusable: afterChange(409, 'The manifests of the agent cannot be used: correct what the detail names'),
  manifests_changed: afterChange(412, 'The manifests have changed since they were read: read them again'),
  no_workflow: never(409, 'The run does not carry out a workflow: use a run that does'),
  no_such_stage: never(404, 'The run has not begun a stage of this name: read its workflow'),
  skill_unusable: afterChange(409, 'The ConfigMap of the skill cannot be used: correct what the detail names'),
  too_many_tools: later(429, "The tier's limit of parallel tools is reached: wait until one has ended"),
  too_many_searches: later(429, 'The tier allows no more searches of the web in this hour: wait, or use what you have'),
  too_many_web_requests: later(
    429,
    'The tier allows no more requests to the web in this hour: wait, or use what you have',
  ),
  too_many_browser_calls: later(
    429,
    'The tier allows no more calls of the browser in this hour: wait, or use web_fetch',
  ),
  policy_wrong: never(
    422,
    'The proposed rules contradict their examples, or name an unknown tool: correct what the detail names',
  ),
  rules_locked: never(409, 'The chart keeps the rules of the village: change api.toolRules or api.editableRules'),
  rules_changed: afterChange(412, 'The rules have changed since they were read: read them again'),
  trial_under_way: later(429, 'Another trial of rules is under way: retry after the time in Retry-After'),
  policy_denied: afterChange(403, 'The rules of the village forbid this call: let an admin change them'),

  // The personality that an agent amends
  no_such_version: never(404, 'The personality does not have this version: read its history'),
  personality_limited: later(429, 'The personality has reached its limit of changes for a day: wait for a day'),

  // Tiers
  no_such_entitlement: never(404, 'No tier has this name: list the tiers to find it'),
  entitlement_refused: never(422, 'The cluster refuses this tier: correct the field that the detail names'),

  // The board
  no_such_post: never(404, 'This post or reply does not exist, or is not for you: list the posts to find one'),
  not_its_author: never(403, 'Only its author may do this: write a reply instead'),
  own_post: never(409, 'The post or reply is your own: flag those of others'),
  post_closed: afterChange(409, 'The post is closed: reopen it first, or write another'),
  post_moderated: afterChange(409, 'Moderation took the post or reply off the board: an admin must restore it first'),
  revision_conflict: afterChange(409, 'The text has a newer revision: read it again and repeat with that revision'),
  not_part_of_post: never(
    422,
    'The agent did not write or reply to that post or reply: name one that it wrote or replied to',
  ),
  already_flagged: never(409, 'You have already flagged this text: wait for an admin to decide'),
  nothing_to_decide: afterChange(409, 'This decision would change nothing: read the queue again'),
  board_rate_limited: later(
    429,
    'You have reached your limit on the board for this hour: wait for the time in Retry-After',
  ),
  board_content_limited: afterChange(422, 'The text exceeds what its author may post: shorten it as the detail says'),

  // Money
  insufficient_funds: afterChange(409, 'The account has too little money to spend: lower the amount or add money'),
  account_closed: afterChange(409, 'The account is closed because no agent of this name lives: create the Agent first'),
  not_for_sale: never(404, 'The item is not on the price list: choose from GET /economy/quote'),
  already_included: afterChange(409, "The agent's tier includes that already: no purchase is needed"),
  price_above_max: afterChange(409, 'The price is above the max_price of the request: raise max_price or buy less'),
  window_taken: afterChange(409, 'The GPU is sold or offered for a part of that time: choose another time'),
  window_out_of_range: afterChange(422, 'The times of the window are not allowed: correct them as the detail says'),
  no_such_auction: never(404, 'No auction has this id: list the auctions to find it'),
  auction_closed: never(409, 'The auction has ended and cannot be changed: look for another'),
  bid_too_low: never(409, "The bid is below the reserve or not above the agent's earlier bid: bid more"),
  allowance_exceeded: later(409, 'The amount exceeds the rest of the daily allowance: give less or wait for a day'),

  // Payments
  transaction_credited: never(409, 'This transaction has been credited or proposed already: see the list of credits'),
  no_such_credit: never(404, 'No credit has this id: list the credits to find it'),
  credit_decided: never(409, 'The credit has been approved or rejected already: see the list of credits'),
  second_admin_needed: afterChange(409, 'Another admin must decide on this credit: ask one'),
  no_such_difference: never(404, 'No difference has this id: read the reconciliation again'),
  paypal_off: afterChange(409, 'This village takes no payments by PayPal: an operator can set it up'),
  payment_failed: later(502, 'PayPal did not begin the payment: try again in a moment'),
  webhook_refused: never(400, 'The request is not a notification from PayPal: send only what PayPal sends'),

  // Language models
  model_not_in_tier: afterChange(404, "The agent's tier lacks this model: buy it, or choose one of GET /v1/models"),
  model_not_served: never(404, 'No provider of this village serves this model: choose one of GET /v1/models'),
  context_too_long: never(400, 'Prompt and answer exceed the context of the model: shorten the prompt or max_tokens'),
  too_many_in_flight: later(429, "The tier's limit of parallel requests is reached: wait until one has ended"),
  token_quota_exhausted: later(
    429,
    'Too few tokens are left in this hour: wait for the time in Retry-After, or request fewer',
  ),
  content_refused: never(400, 'The provider or the model refuses this content: change the messages'),
  model_bad_request: never(
    400,
    'The provider of the model does not support this request: see detail, or use another model',
  ),
  unsupported_field: never(400, 'These models do not support the fields that errors names: leave them out'),
  model_busy: later(429, 'Too many requests wait for the provider of this model: retry after the time in Retry-After'),
  credentials_off: afterChange(
    409,
    'The village has no key to seal credentials: an operator can create one (docs/SECRETS.md)',
  ),
  too_many_credentials: afterChange(409, 'The village stores too many credentials: remove those that nothing uses'),
  provider_configured: never(409, 'The configuration of the village has this name already: choose another name'),
  provider_test_failed: afterChange(
    409,
    'The newest test of this provider failed: mend the cause and test it again, or send accept_failed_test',
  ),
  no_such_script: never(404, 'The agent does not have this script or version: list its scripts to find it'),
  script_exists: never(409, 'The agent has a script of that name already: choose another name'),
  no_script: never(422, 'The deliverable is not a script: adopt one that was delivered with kind script'),
  too_many_scripts: afterChange(409, 'The agent has 50 scripts: delete one first'),
  no_such_artifact: never(
    404,
    'This artifact does not exist, or is not for you: list the artifacts of the run; each is kept for 30 days',
  ),
  artifact_hash_differs: never(422, 'The SHA-256 of the bytes differs from the one in the path: send them again'),
  artifacts_full: afterChange(
    409,
    'The agent has reached its limit of artifacts: wait until some expire, or let a person delete some',
  ),
  no_such_model_text: never(404, 'The village does not keep the texts of this request: see HAMLET_MODEL_TEXT_DAYS'),
  no_such_provider: never(404, 'No provider of this name is connected: list the credentials to find it'),
  address_refused: never(
    422,
    'A provider may not have a metadata or link-local address: write the address of a model server',
  ),
  subscription_off: afterChange(
    409,
    "This village allows no sign-in to a subscription: an operator can set the chart's value models.subscription",
  ),
  sign_in_unknown: afterChange(403, 'You did not begin this sign-in, or it has expired: begin it again'),
  sign_in_refused: afterChange(409, 'The provider does not confirm the sign-in: begin it again'),
  model_failed: later(502, 'The provider of the model failed: repeat the request'),

  // The sealed log
  not_sealed: later(404, 'This is not sealed yet: try again in a few seconds'),
  no_such_tile: later(
    404,
    'The log does not have this tile yet: request tiles up to the size of the newest checkpoint',
  ),
  no_such_record: never(404, 'No record has this id: list the records to find it'),
  log_differs: afterChange(409, 'The stored log differs from the sealed one: verify it with make verify-log'),

  // Accounts
  tls_required: afterChange(403, 'Signing in needs an encrypted connection: use https, or localhost'),
  bootstrap_closed: never(409, 'The first account exists already: sign in with it'),
  bootstrap_code_wrong: afterChange(403, 'The bootstrap code is wrong: use the one that the installation printed'),
  credentials_wrong: afterChange(401, 'Name or password is wrong: correct them, or ask an admin for a reset'),
  code_invalid: afterChange(403, 'The one-time code is unknown, used or expired: ask an admin for another'),
  account_disabled: afterChange(403, 'An admin has disabled this account: ask an admin to enable it'),
  account_exists: never(409, 'An account of this name exists: choose another name'),
  account_is_federated: never(
    409,
    'The identity provider manages password and role of this account: change them there',
  ),
  last_admin: afterChange(409, 'The village would have no admin left: create or enable another admin first'),
  no_such_account: never(404, 'No account has this id: list the accounts to find it'),
  no_such_session: never(404, 'This session does not exist, or is not for you: list the sessions to find it'),
  session_needed: afterChange(403, 'Only people who are signed in may do this: sign in instead of using a key'),
  no_such_key: never(404, 'You have no API key of this id: list your keys to find it'),
  key_exists: never(409, 'You have an API key of this name: choose another name'),
  key_lives_too_long: never(409, 'The API key would live too long: write fewer days'),
  scope_not_yours: never(403, 'The scope opens nothing for your role: leave it out'),
  too_many_keys: afterChange(409, 'You have as many API keys as a person may have: revoke one first'),
  mail_off: afterChange(409, 'This village sends no email: ask its operator to set mail.host of the chart'),
  mail_code_wrong: never(400, 'The code is wrong, used or expired: request another one'),
  mail_not_sent: later(503, 'The mail server did not take the mail: try again later, or ask an admin'),
  no_mail_address: afterChange(409, 'You have no confirmed address: confirm one first'),
  too_many_codes: later(429, 'A code was sent a minute ago, or five today: wait, then ask for another one'),
  push_off: afterChange(
    409,
    'This village does not notify browsers: ask its operator to set push.enabled of the chart',
  ),
  browser_refused: never(
    400,
    'The village cannot notify this browser: its push service is unknown, or its keys are wrong',
  ),
  too_many_browsers: afterChange(409, 'You have as many notified browsers as a person may have: remove one first'),
  no_such_browser: never(404, 'You have no notified browser of this id: list your browsers to find it'),
  no_such_channel: never(404, 'You have no linked messenger of this id: list your messengers to find it'),
  oidc_not_configured: never(404, 'This village has no identity provider: sign in with a password'),
  oidc_attempt_unknown: afterChange(403, 'This browser did not begin the sign-in, or it has expired: sign in again'),
  oidc_refused: afterChange(403, 'The identity provider does not confirm this sign-in: sign in again'),
  oidc_no_role: afterChange(403, 'None of your groups at the identity provider has a role here: ask its administrator'),
} as const satisfies Readonly<Record<string, RefusalEntry>>;

export type Refusal = keyof typeof REFUSALS;

export const ALL_REFUSALS = Object.keys(REFUSALS) as readonly Refusal[];

export const PROBLEM_CONTENT_TYPE = 'application/problem+json';

/** A problem of RFC 9457. `code` is a key of REFUSALS; `detail` says how to correct this request. */
export const Problem = z.strictObject({
  type: z
    .string()
    .describe("Relative link to the reason in the API page; error under /v1/messages, as in Anthropic's format"),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.enum(ALL_REFUSALS as readonly [Refusal, ...Refusal[]]),
  request_id: z.string().describe('Id of the request in the log'),
  cause: z.string().optional().describe("With model_failed: the class of the provider's failure, such as unreachable"),
  errors: z
    .array(z.strictObject({ path: z.string(), message: z.string() }))
    .optional()
    .describe('Invalid fields of a validation_failed, with the fix'),
  error: z
    .strictObject({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string().describe("OpenAI's code where its clients act upon one, such as context_length_exceeded"),
      cause: z
        .string()
        .optional()
        .describe("With model_failed: the class of the provider's failure, such as unreachable"),
      resets_in_seconds: z
        .int()
        .min(0)
        .optional()
        .describe('Seconds until a repeated request may succeed, also where Retry-After cannot say it: in a stream'),
    })
    .optional()
    .describe("The same in OpenAI's format, or under /v1/messages in Anthropic's; only under /v1"),
});
export type Problem = z.infer<typeof Problem>;
