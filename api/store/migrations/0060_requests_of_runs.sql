-- The steps that a run has taken are at least half of its requests to models: the gateway counts them before each request.
create index model_request_of_run on model_request (run_id) where run_id is not null;
