-- A request to a model that the rate limit refuses after it was admitted. Requests of before stay `not_paid`.
alter table model_request drop constraint model_request_outcome_check;
alter table model_request add constraint model_request_outcome_check
  check (outcome in ('under_way', 'done', 'failed', 'cancelled', 'not_paid', 'rate_limited', 'lost'));
