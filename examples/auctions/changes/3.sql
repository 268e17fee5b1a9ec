-- What came goes again: rows deleted and inserted alike, several changes to one row, a busy hour emptied.

BEGIN;

UPDATE auction SET id = 70 WHERE id = 1070;
UPDATE bid SET auction = 70 WHERE auction = 1070;
UPDATE person SET id = 12 WHERE id = 200;
INSERT INTO person VALUES (6, 'Bea 6', 'Phoenix', 'AZ', 3, timestamptz '2025-06-01 09:00:00+00');

DELETE FROM bid WHERE price = 9000;
DELETE FROM bid WHERE date_time >= timestamptz '2025-06-01 03:00:00+00' AND date_time < timestamptz '2025-06-01 03:20:00+00';
UPDATE bid SET price = price * 2 WHERE auction = 243 AND bidder > 20;
UPDATE bid SET price = price / 2 WHERE auction = 243 AND bidder > 25;
INSERT INTO bid SELECT * FROM bid WHERE auction IN (15, 90) AND price < 2000;
UPDATE bid SET channel = NULL, url = NULL WHERE auction BETWEEN 30 AND 32;
UPDATE bid SET extra = 'ccc' WHERE extra IS NULL AND auction > 200;

DELETE FROM category WHERE id = 11;
UPDATE auction SET category = 11 WHERE category = 12 AND id < 100;
UPDATE auction SET tags = NULL WHERE id BETWEEN 50 AND 60;
UPDATE auction SET seller = 121 WHERE seller = 1;
UPDATE auction SET expires = expires - interval '10 minutes' WHERE id % 25 = 0;
DELETE FROM auction WHERE id = 242;
UPDATE person SET referred_by = 1 WHERE id = 4;
UPDATE person SET state = NULL WHERE id = 121;
UPDATE person SET name = 'Zoe 33', city = 'Seattle', state = 'WA' WHERE id = 33;

COMMIT;
