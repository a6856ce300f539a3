-- The reader role sees when models worked and failed, but not the words of their providers: an error may quote a prompt.
revoke select on model_health from {reader};
grant select (provider, model, succeeded_at, failed_at, code) on model_health to {reader};
