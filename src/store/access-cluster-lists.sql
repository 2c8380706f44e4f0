-- As in access-lists.sql. A node of the version before leaves the column out.

ALTER TABLE tokens ADD COLUMN lists TEXT;
UPDATE tokens SET lists = coalesce(
  (SELECT string_agg(name, ' ') FROM user_documents
   WHERE user_documents.user_id = tokens.user_id AND kind = 'list'), '')
WHERE substr(prefix, 1, 12) = 'bourse_feed_';
