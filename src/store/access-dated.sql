-- The day that a token is in, YYYY-MM-DD: it reads nothing that became known later. NULL for a token of the present. Both
-- engines have the same column. A node of the version before leaves it out.

ALTER TABLE tokens ADD COLUMN as_of TEXT;
