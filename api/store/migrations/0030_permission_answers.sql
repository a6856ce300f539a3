-- A check that is null holds, so the checks of 0026 let a permission without an answer be allowed or denied.
alter table permission add constraint permission_answered
  check (state not in ('allowed', 'denied', 'consumed') or answer is not null);
