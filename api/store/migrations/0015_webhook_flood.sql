-- What strangers send to the webhook is bounded: the bytes of a refused delivery are not kept, and those whose certificate has verified something before
-- (`known`) neither wait behind the others nor share their places.
alter table paypal_delivery alter column raw drop not null;
alter table paypal_delivery add column known boolean not null default false;
update paypal_delivery set raw = null where state = 'refused';
alter table paypal_delivery add constraint paypal_delivery_bytes check (raw is not null or state = 'refused');
create index paypal_delivery_verified on paypal_delivery (cert_url) where state = 'verified';
