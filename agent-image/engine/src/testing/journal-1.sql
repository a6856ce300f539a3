-- A journal as the first schema wrote it: a closed run of two requests, and an open run that waits for a permission.
CREATE TABLE header (
  one integer primary key check (one = 1),
  salt text not null
);
CREATE TABLE event (
  seq integer primary key,
  run text not null,
  v integer not null,
  type text not null,
  stage text not null,
  fence integer not null,
  at integer not null,
  elapsed_ms integer not null,
  body text not null
);
CREATE TABLE payload (
  id integer primary key,
  ref text not null unique,
  body text not null
);
CREATE TABLE run (
  run text primary key,
  conversation text not null,
  parent text,
  is_open integer not null,
  opened_seq integer not null
);
CREATE TABLE projected (version integer not null, seq integer not null);
CREATE INDEX event_by_run on event (run, seq);
CREATE INDEX run_by_conversation on run (conversation, opened_seq);
CREATE INDEX open_run on run (opened_seq) where is_open = 1;
insert into header values (1, '-3imbMryIVBbCaSd1m0aOQ');
insert into event values (1, 'b1ffc1a8-6f5c-4f3c-9d1c-0f2f4a3e9f01', 1, 'run_opened', 'main', 1, 1795455984605, 0, '{"conversation":"c1","after":null,"parent":null,"plan":"wTRTmR3fuLMHi1emnLfR8D","model":"test","budgets":{"steps":100,"tokens":1000000,"moneyMicros":1000000,"timeMs":3600000,"idleCalls":10},"prompt":"qagih5O9cqWxe2JJabtQ4v","situation":"xxe0PWITBUVqE5UxY3Xa7I","recalled":"YkzKzqxJlP98HUA8TQEiUZ","input":"iktseEIAfI3BlEeNbdpBPR"}');
insert into event values (2, 'b1ffc1a8-6f5c-4f3c-9d1c-0f2f4a3e9f01', 1, 'stage_opened', 'main', 1, 1795455984615, 0, '{}');
insert into event values (3, 'b1ffc1a8-6f5c-4f3c-9d1c-0f2f4a3e9f01', 1, 'model_asked', 'main', 1, 1795455984616, 1, '{"ask":1,"attempt":1,"request":"fcqRl0HwgkWs8EBU0kEZxe"}');
insert into event values (4, 'b1ffc1a8-6f5c-4f3c-9d1c-0f2f4a3e9f01', 1, 'model_answered', 'main', 1, 1795455984619, 3, '{"ask":1,"attempt":1,"message":"KzjcSK_Ua1JvesI1Uy1ioU","hasText":false,"calls":[{"id":"1.0","modelId":"call_0","tool":"post","arguments":"2nz5YIbp_E0cO5YRNNhcQ3","effect":"keyed"}],"usage":{"prompt":10,"completion":5,"total":15},"moneyMicros":1}');
insert into event values (5, 'b1ffc1a8-6f5c-4f3c-9d1c-0f2f4a3e9f01', 1, 'tool_intent', 'main', 1, 1795455984623, 4, '{"call":"1.0","tool":"post","arguments":"2nz5YIbp_E0cO5YRNNhcQ3","effect":"keyed","key":"LmRx1bUI7AYYX47wUizyBH","attempt":1}');
insert into event values (6, 'b1ffc1a8-6f5c-4f3c-9d1c-0f2f4a3e9f01', 1, 'tool_settled', 'main', 1, 1795455984630, 7, '{"call":"1.0","outcome":"ok","result":"hHmLw0w7DPUCo1U7xADSlg"}');
insert into event values (7, 'b1ffc1a8-6f5c-4f3c-9d1c-0f2f4a3e9f01', 1, 'model_asked', 'main', 1, 1795455984632, 1, '{"ask":2,"attempt":1,"request":"Joq_GRqwc5fN3oYyStwJRt"}');
insert into event values (8, 'b1ffc1a8-6f5c-4f3c-9d1c-0f2f4a3e9f01', 1, 'model_answered', 'main', 1, 1795455984632, 1, '{"ask":2,"attempt":1,"message":"MW6-vA4vkQJctqAhjlYexm","hasText":true,"calls":[],"usage":{"prompt":10,"completion":5,"total":15},"moneyMicros":1}');
insert into event values (9, 'b1ffc1a8-6f5c-4f3c-9d1c-0f2f4a3e9f01', 1, 'stage_closed', 'main', 1, 1795455984632, 0, '{}');
insert into event values (10, 'b1ffc1a8-6f5c-4f3c-9d1c-0f2f4a3e9f01', 1, 'run_closed', 'main', 1, 1795455984632, 0, '{"outcome":{"kind":"done","answer":"MW6-vA4vkQJctqAhjlYexm"},"unsettled":[]}');
insert into event values (11, 'b1ffc1a8-6f5c-4f3c-9d1c-0f2f4a3e9f02', 1, 'run_opened', 'main', 2, 1795455984654, 0, '{"conversation":"c1","after":"b1ffc1a8-6f5c-4f3c-9d1c-0f2f4a3e9f01","parent":null,"plan":"wTRTmR3fuLMHi1emnLfR8D","model":"test","budgets":{"steps":100,"tokens":1000000,"moneyMicros":1000000,"timeMs":3600000,"idleCalls":10},"prompt":"qagih5O9cqWxe2JJabtQ4v","situation":"xxe0PWITBUVqE5UxY3Xa7I","recalled":"YkzKzqxJlP98HUA8TQEiUZ","input":"z-XQnEX1etYQUtWLKVakjb"}');
insert into event values (12, 'b1ffc1a8-6f5c-4f3c-9d1c-0f2f4a3e9f02', 1, 'stage_opened', 'main', 2, 1795455984667, 1, '{}');
insert into event values (13, 'b1ffc1a8-6f5c-4f3c-9d1c-0f2f4a3e9f02', 1, 'model_asked', 'main', 2, 1795455984667, 0, '{"ask":1,"attempt":1,"request":"jAUIuPN4u6gMda8SB9UEYy"}');
insert into event values (14, 'b1ffc1a8-6f5c-4f3c-9d1c-0f2f4a3e9f02', 1, 'model_answered', 'main', 2, 1795455984668, 1, '{"ask":1,"attempt":1,"message":"-NpxR6aX1dEc2DzDi5aSbu","hasText":false,"calls":[{"id":"1.0","modelId":"call_0","tool":"post","arguments":"9av0IJ0Bjn6tsg8n5qo8x1","effect":"once"}],"usage":{"prompt":10,"completion":5,"total":15},"moneyMicros":1}');
insert into event values (15, 'b1ffc1a8-6f5c-4f3c-9d1c-0f2f4a3e9f02', 1, 'permission_asked', 'main', 2, 1795455984668, 0, '{"request":"b1ffc1a8-6f5c-4f3c-9d1c-0f2f4a3e9f02/1.0/1","call":"1.0","why":"policy"}');
insert into payload values (1, 'qagih5O9cqWxe2JJabtQ4v', 'You are Ada.');
insert into payload values (2, 'xxe0PWITBUVqE5UxY3Xa7I', 'It is noon.');
insert into payload values (3, 'YkzKzqxJlP98HUA8TQEiUZ', '');
insert into payload values (4, 'iktseEIAfI3BlEeNbdpBPR', 'Ask for tea.');
insert into payload values (5, 'wTRTmR3fuLMHi1emnLfR8D', 'answer');
insert into payload values (6, 'KzjcSK_Ua1JvesI1Uy1ioU', '{"content":"","toolCalls":[{"arguments":"{\"text\":\"Tea?\"}","id":"call_0","name":"post"}]}');
insert into payload values (7, 'hHmLw0w7DPUCo1U7xADSlg', '{"kind":"ok","text":"post: Tea?"}');
insert into payload values (8, 'MW6-vA4vkQJctqAhjlYexm', '{"content":"Posted.","toolCalls":[]}');
insert into payload values (9, 'z-XQnEX1etYQUtWLKVakjb', 'Post x.');
insert into payload values (10, '-NpxR6aX1dEc2DzDi5aSbu', '{"content":"","toolCalls":[{"arguments":"{\"text\":\"x\"}","id":"call_0","name":"post"}]}');
insert into run values ('b1ffc1a8-6f5c-4f3c-9d1c-0f2f4a3e9f01', 'c1', null, 0, 1);
insert into run values ('b1ffc1a8-6f5c-4f3c-9d1c-0f2f4a3e9f02', 'c1', null, 1, 11);
insert into projected values (1, 15);
pragma application_id = 1215122028;
pragma user_version = 1;
