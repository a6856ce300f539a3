-- The abilities of the models of a connected provider, as tests found them: {model, stream, tools, json, embeddings} each, true, false or
-- null. A provider that is connected again is to be tested again.
alter table model_credential
  add column tested_models jsonb check (jsonb_typeof(tested_models) = 'array' and length(tested_models::text) <= 32768);
