-- The next minutes: people arrive, auctions open, bids come in, some late.

BEGIN;

INSERT INTO person VALUES
    (121, 'Fay 121', 'Portland', 'OR', 5, timestamptz '2025-06-01 08:06:00+00'),
    (122, 'Gus 122', NULL, NULL, 121, timestamptz '2025-06-01 08:08:00+00');
INSERT INTO auction VALUES
    (241, 'item 1', ARRAY['rare', 'rare', 'new'], 500, 1500, timestamptz '2025-06-01 08:09:00+00', timestamptz '2025-06-01 08:40:00+00', 121, 10),
    (242, 'item 2', NULL, 200, NULL, timestamptz '2025-06-01 08:11:00+00', timestamptz '2025-06-01 08:30:00+00', 3, 15);
INSERT INTO bid
SELECT 225 + n % 18, 1 + (n * 13) % 122, 500 + (n * 271) % 3000, (ARRAY['apple', 'google', NULL])[1 + n % 3],
    'https://www.nexmark.com/n/e/w/item.htm?query=1&channel_id=' || n % 4,
    timestamptz '2025-06-01 08:08:00+00' + n * interval '21 seconds', 'cc'
FROM generate_series(1, 60) AS n;

-- Late bids for auctions that seemed settled, one of them the highest, one sent three times.
INSERT INTO bid VALUES
    (20, 7, 9000, 'apple', 'https://www.nexmark.com/a/b/c/item.htm?query=1', timestamptz '2025-06-01 00:50:00+00', 'c'),
    (50, 9, 4500, NULL, NULL, timestamptz '2025-06-01 02:00:00+00', NULL),
    (50, 9, 4500, NULL, NULL, timestamptz '2025-06-01 02:00:00+00', NULL),
    (50, 9, 4500, NULL, NULL, timestamptz '2025-06-01 02:00:00+00', NULL),
    (123, 9, 777, 'baidu', NULL, timestamptz '2025-06-01 04:20:00+00', NULL);

-- An auction is prolonged, one changes hands, one its category; a person moves.
UPDATE auction SET expires = expires + interval '1 hour' WHERE id IN (30, 31);
UPDATE auction SET seller = 95 WHERE id = 40;
UPDATE auction SET category = 10 WHERE id IN (16, 20, 100);
UPDATE person SET state = 'ID', city = 'Boise' WHERE id IN (14, 25);
UPDATE person SET referred_by = 2 WHERE id = 9;
UPDATE auction SET tags = ARRAY['signed', NULL] WHERE id IN (9, 10);

-- Bids are withdrawn, one of a pair of equal ones among them.
DELETE FROM bid WHERE ctid IN (SELECT min(ctid) FROM bid GROUP BY bid HAVING count(*) > 1 LIMIT 6);
DELETE FROM bid WHERE auction = 60;
DELETE FROM bid WHERE bidder = 44 AND price > 2000;

COMMIT;
