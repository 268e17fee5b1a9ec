-- The house tidies up: keys change, a person leaves, prices are corrected.

BEGIN;

-- Keys change: an auction with its bids, a person without theirs.
UPDATE auction SET id = 1070 WHERE id = 70;
UPDATE bid SET auction = 1070 WHERE auction = 70;
UPDATE person SET id = 200 WHERE id = 12;

-- The winner of every tenth auction is taken back, so that the next best wins.
DELETE FROM bid b
WHERE b.auction % 10 = 3 AND b.price = (SELECT max(o.price) FROM bid o WHERE o.auction = b.auction);

UPDATE bid SET price = price + 1 WHERE auction BETWEEN 110 AND 113;
UPDATE bid SET channel = 'apple' WHERE channel IS NULL AND auction < 120;
UPDATE bid SET bidder = 5 WHERE bidder IS NULL AND auction < 150;
UPDATE bid SET date_time = date_time + interval '11 minutes' WHERE bidder = 30;

DELETE FROM person WHERE id IN (6, 18);
UPDATE person SET referred_by = NULL WHERE id = 4;
UPDATE person SET referred_by = 122 WHERE id = 31;
INSERT INTO category VALUES (15, 'furniture');
UPDATE category SET name = 'prints' WHERE id = 14;
DELETE FROM auction WHERE id IN (120, 121, 122);
UPDATE auction SET reserve = 1000 WHERE reserve IS NULL;
UPDATE auction SET date_time = date_time - interval '30 minutes' WHERE id BETWEEN 200 AND 203;
INSERT INTO auction VALUES
    (243, 'item 3', ARRAY['old'], 100, 5000, timestamptz '2025-06-01 08:25:00+00', timestamptz '2025-06-01 08:50:00+00', 122, NULL);
INSERT INTO bid
SELECT 243, 1 + n, 100 * n, 'google', NULL, timestamptz '2025-06-01 08:26:00+00' + n * interval '1 minute', NULL
FROM generate_series(1, 30) AS n;

COMMIT;
