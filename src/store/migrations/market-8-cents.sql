-- Grain and coffee futures are in US cents (USX), the unit that they trade in. What was fetched in
-- dollars is fetched again.
DELETE FROM scaled_bars WHERE instrument_id IN
  (SELECT instrument_id FROM bar_histories JOIN instruments ON instruments.id = instrument_id
   WHERE bar_histories.source <> 'import' AND country = 'US'
     AND symbol IN ('ZC=F', 'ZW=F', 'ZS=F', 'KC=F') AND currency = 'USD');
DELETE FROM bar_histories WHERE source <> 'import' AND instrument_id IN
  (SELECT id FROM instruments WHERE country = 'US'
     AND symbol IN ('ZC=F', 'ZW=F', 'ZS=F', 'KC=F') AND currency = 'USD');
DELETE FROM documents WHERE kind = 'quotes' AND source <> 'import' AND country = 'US'
  AND key IN ('ZC=F', 'ZW=F', 'ZS=F', 'KC=F');
DELETE FROM fetches WHERE country = 'US' AND symbol IN ('ZC=F', 'ZW=F', 'ZS=F', 'KC=F');
UPDATE instruments SET currency = 'USX' WHERE source <> 'import' AND country = 'US'
  AND symbol IN ('ZC=F', 'ZW=F', 'ZS=F', 'KC=F') AND currency = 'USD';
