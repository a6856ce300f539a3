-- A connected provider without a limit of its own got 1,024 tokens an answer, which cut most of them. It gets what nearly every model
-- can write, at most half of its context; older models of the large providers write less.
update model_credential
set provider = jsonb_set(provider, '{models}', (
  select jsonb_agg(
    case
      when offer -> 'answer_tokens' <> to_jsonb(1024) then offer
      when offer ->> 'model' ~ 'gpt-3\.5|gpt-4-|claude-3-(opus|sonnet|haiku)' then offer || jsonb_build_object('answer_tokens', 4096)
      when offer ->> 'model' ~ 'claude-3-5|deepseek-chat' then offer || jsonb_build_object('answer_tokens', 8192)
      else offer || jsonb_build_object('answer_tokens', least(16384, greatest(1, (offer ->> 'context_tokens')::integer / 2)))
    end
    order by place
  )
  from jsonb_array_elements(provider -> 'models') with ordinality as offers (offer, place)
))
where provider -> 'models' @> '[{"answer_tokens": 1024}]';
