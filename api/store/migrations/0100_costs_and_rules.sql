-- Costs of requests to models in real currency, and rules for tools that admins write in the web. ADR 142.

-- The estimate by the provider's price at the end of the request, in millionths of the currency; null without a known price.
alter table model_request
  add column provider_currency text check (provider_currency ~ '^[A-Za-z]{2,12}$'),
  add column provider_micros bigint check (provider_micros >= 0),
  add check ((provider_currency is null) = (provider_micros is null));
grant update (provider_currency, provider_micros) on model_request to {app};

-- As end_model_request, with the estimated cost. A replica of the version before calls end_model_request during an upgrade.
create function end_priced_request(
  request_id uuid, outcome text, prompt_tokens integer, completion_tokens integer, provider_currency text, provider_micros bigint
) returns boolean language plpgsql as $$
#variable_conflict use_variable
begin
  if provider_currency is not null then
    -- The hour before its requests, as every writer locks them.
    perform 1 from model_hour h where h.agent_id = (select r.agent_id from model_request r where r.request_id = request_id) for update;
    update model_request r
      set provider_currency = end_priced_request.provider_currency, provider_micros = end_priced_request.provider_micros
      where r.request_id = request_id and r.outcome = 'under_way';
  end if;
  return end_model_request(request_id, outcome, prompt_tokens, completion_tokens);
end $$;
revoke all on function end_priced_request from public;
grant execute on function end_priced_request to {app};

-- Sums of a day read the transfers since an instant by their ids.
grant execute on function ledger.first_id_of to {app};

-- The rules of a village are a setting with up to 64 rules and their examples.
alter table village_setting
  drop constraint village_setting_value_check,
  add constraint village_setting_value_check check (octet_length(value::text) <= 65536);
