-- The names of the lists that a token reads, separated by spaces; NULL for every list of its user. Tokens of the API read
-- every list, as before. A feed link that exists keeps the lists of this moment, and a new one has those that its user ticks.

ALTER TABLE tokens ADD COLUMN lists TEXT;
UPDATE tokens SET lists = coalesce(
  (SELECT group_concat(name, ' ') FROM user_documents
   WHERE user_documents.user_id = tokens.user_id AND kind = 'list'), '')
WHERE substr(prefix, 1, 12) = 'bourse_feed_';
