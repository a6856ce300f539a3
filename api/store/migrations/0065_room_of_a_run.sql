-- What a program's request may use of the budgets of its run until it ends: at most these tokens, and money in millionths. Null for the
-- agent's own requests, which reserve `reserved_tokens` alone.

alter table model_request
  add column run_tokens bigint check (run_tokens >= 0),
  add column run_micros bigint check (run_micros >= 0);

grant update (run_tokens, run_micros) on model_request to {app};
