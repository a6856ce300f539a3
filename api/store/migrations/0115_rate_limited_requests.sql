-- A request to a model that the rate limit refuses after it was admitted. Requests of before stay `not_paid`.
-- `not valid`: the earlier check, which admitted fewer outcomes, held for every stored row, so Postgres need not read them under its lock.
alter table model_request drop constraint model_request_outcome_check;
alter table model_request add constraint model_request_outcome_check
  check (outcome in ('under_way', 'done', 'failed', 'cancelled', 'not_paid', 'rate_limited', 'lost')) not valid;
