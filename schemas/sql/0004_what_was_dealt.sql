-- What the cards would have allowed: announcements left unsaid, and how good the cards were.
-- Stores made before have NULL there; their verdicts count as old, so revalidating fills them.

ALTER TABLE announcements ADD COLUMN missed BOOLEAN;   -- the best of its suit held, none announced
ALTER TABLE announcements ADD COLUMN worth SMALLINT;   -- points it counts, or would have
ALTER TABLE announcements ADD COLUMN closed BOOLEAN;   -- announced when nothing was left to draw
ALTER TABLE deal_seats ADD COLUMN received SMALLINT;   -- card points of the cards that came to hand
ALTER TABLE deal_seats ADD COLUMN received_cards UTINYINT;
UPDATE matches SET rules_version = 0;
