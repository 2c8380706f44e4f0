-- Alerts: what was known of each rule, the messages that rules made, and their deliveries. The rules and the channels are
-- documents of users.

CREATE TABLE alert_states (
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  alert TEXT NOT NULL, -- the name of the rule; list:NAME for the theses of a list
  about TEXT NOT NULL, -- the instrument: US:AAPL; empty for a rule without one
  changed_at INTEGER NOT NULL, -- UTC milliseconds
  state TEXT NOT NULL, -- JSON
  PRIMARY KEY (user_id, alert, about)
) STRICT;

CREATE TABLE alert_messages (
  message TEXT PRIMARY KEY, -- msg_…
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  alert TEXT NOT NULL,
  kind TEXT NOT NULL, -- condition, event, thesis, …
  at INTEGER NOT NULL, -- UTC milliseconds
  facts TEXT NOT NULL -- JSON
) STRICT;

CREATE INDEX alert_messages_by_user ON alert_messages (user_id, at);

CREATE TABLE alert_outbox (
  message TEXT NOT NULL REFERENCES alert_messages (message) ON DELETE CASCADE,
  channel TEXT NOT NULL, -- the name of the channel
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  state TEXT NOT NULL, -- due, sent or failed
  attempts INTEGER NOT NULL,
  next_at INTEGER NOT NULL, -- of one that is due: not before this time
  tried_at INTEGER, -- the last attempt
  error TEXT, -- of the last attempt
  joined TEXT, -- the message that carries this one too, because several waited
  PRIMARY KEY (message, channel)
) STRICT;

CREATE INDEX alert_outbox_due ON alert_outbox (next_at) WHERE state = 'due';
CREATE INDEX alert_outbox_tried ON alert_outbox (user_id, tried_at);

CREATE INDEX user_documents_by_kind ON user_documents (kind);

DROP INDEX audit_own_data;
CREATE INDEX audit_own_data ON audit (actor, id) WHERE
  action IN ('list saved', 'list deleted', 'screen saved', 'screen deleted', 'settings saved',
    'alert saved', 'alert deleted', 'channel saved', 'channel deleted');
