-- As in access-alerts.sql.

CREATE TABLE alert_states (
  user_id integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  alert text COLLATE "C" NOT NULL,
  about text COLLATE "C" NOT NULL,
  changed_at double precision NOT NULL,
  state text NOT NULL,
  PRIMARY KEY (user_id, alert, about)
);

CREATE TABLE alert_messages (
  message text COLLATE "C" PRIMARY KEY,
  user_id integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  alert text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  at double precision NOT NULL,
  facts text NOT NULL
);

CREATE INDEX alert_messages_by_user ON alert_messages (user_id, at);

CREATE TABLE alert_outbox (
  message text COLLATE "C" NOT NULL REFERENCES alert_messages (message) ON DELETE CASCADE,
  channel text COLLATE "C" NOT NULL,
  user_id integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  state text NOT NULL,
  attempts integer NOT NULL,
  next_at double precision NOT NULL,
  tried_at double precision,
  error text,
  joined text,
  PRIMARY KEY (message, channel)
);

CREATE INDEX alert_outbox_due ON alert_outbox (next_at) WHERE state = 'due';
CREATE INDEX alert_outbox_tried ON alert_outbox (user_id, tried_at);

CREATE INDEX user_documents_by_kind ON user_documents (kind);

DROP INDEX audit_own_data;
CREATE INDEX audit_own_data ON audit (actor, id) WHERE
  action IN ('list saved', 'list deleted', 'screen saved', 'screen deleted', 'settings saved',
    'alert saved', 'alert deleted', 'channel saved', 'channel deleted');
