-- hand-ledger.sql again, with what our ledger keeps and refuses: the request beside its key, who asked and why, what it was about, holds, closed accounts
-- and the limits of each text. Written as the first: tables with CHECKs, one function.
create schema w;
create type w.reason as enum ('reward', 'penalty', 'deposit_credit', 'purchase_compute', 'usage', 'refund', 'adjustment');
create table w.acct(id bigint primary key, bal bigint not null default 0, held bigint not null default 0, ver bigint not null default 0, neg bool not null default false, closed timestamptz, check (neg or bal>=held)) with (fillfactor=50);
create table w.xfer(id uuid primary key default uuidv7(), idem text not null unique check (length(idem) between 1 and 400), reason w.reason not null,
 src bigint not null, src_ver bigint not null, dst bigint not null, dst_ver bigint not null, amt bigint not null check (amt between 1 and 1000000000000000),
 source text not null check (length(source) between 1 and 200), note text not null check (length(note)<=500), event_at timestamptz, at timestamptz not null,
 actor_role text not null, actor_id text not null, xact bigint not null default txid_current(), about jsonb, check (src<>dst and least(src,dst)<=0));
create table w.entry(acct bigint not null, ver bigint not null, xfer uuid not null, amt bigint not null, bal bigint not null, neg bool not null, at timestamptz not null, primary key(acct,ver) include (amt));
insert into w.acct select -i,1000000000,0,0,false from generate_series(1,10000) i;
create function w.post(s bigint,d bigint,a bigint,k text,r w.reason,so text,no text,ar text,ai text,ev timestamptz,ab jsonb) returns table(id uuid,replayed bool) language plpgsql as $$
#variable_conflict use_variable
declare x uuid; s1 w.acct; d1 w.acct; t w.xfer; now_at timestamptz := clock_timestamp();
begin
 if s<d then
  update w.acct set bal=bal-a,ver=ver+1 where acct.id=s and closed is null returning * into s1;
  update w.acct set bal=bal+a,ver=ver+1 where acct.id=d and closed is null returning * into d1;
 else
  update w.acct set bal=bal+a,ver=ver+1 where acct.id=d and closed is null returning * into d1;
  update w.acct set bal=bal-a,ver=ver+1 where acct.id=s and closed is null returning * into s1;
 end if;
 if s1.id is null or d1.id is null then raise exception 'no such account, or closed'; end if;
 insert into w.xfer(idem,reason,src,src_ver,dst,dst_ver,amt,source,note,event_at,at,actor_role,actor_id,about)
  values(k,r,s,s1.ver,d,d1.ver,a,so,no,ev,now_at,ar,ai,ab) on conflict(idem) do nothing returning xfer.id into x;
 if x is null then
  update w.acct set bal=bal+a,ver=ver-1 where acct.id=s;
  update w.acct set bal=bal-a,ver=ver-1 where acct.id=d;
  select * into t from w.xfer where idem=k;
  if (t.src,t.dst,t.amt,t.reason,t.source,t.note,t.event_at) is distinct from (s,d,a,r,so,no,ev) then raise exception 'key was used with another request'; end if;
  return query select t.id,true;
  return;
 end if;
 insert into w.entry values(s,s1.ver,x,-a,s1.bal,s1.neg,now_at),(d,d1.ver,x,a,d1.bal,d1.neg,now_at);
 return query select x,false;
end $$;
