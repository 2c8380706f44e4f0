-- Indexes with which due deliveries and the messages of a rule are counted. SQLite and Postgres read it.

DROP INDEX alert_outbox_due;
CREATE INDEX alert_outbox_due ON alert_outbox (user_id, channel, next_at) WHERE state = 'due';
CREATE INDEX alert_messages_by_alert ON alert_messages (user_id, alert, at);
