-- Lines of score sheets: deals of which no card was written down. `told` says which they are. Of
-- their play nothing is known: tricks and the last one are NULL, and points where the sheet has none.

ALTER TABLE deals ADD COLUMN told BOOLEAN DEFAULT false;
ALTER TABLE baseline.deals ADD COLUMN told BOOLEAN DEFAULT false;
ALTER TABLE deal_seats ALTER COLUMN points DROP NOT NULL;
ALTER TABLE deal_seats ALTER COLUMN tricks DROP NOT NULL;
ALTER TABLE deal_seats ALTER COLUMN der DROP NOT NULL;
